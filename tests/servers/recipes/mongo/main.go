// A server that speaks MongoDB's wire protocol and keeps its collections in SQLite files: FerretDB, embedded.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	address := flag.String("address", "", "host:port to listen on")
	data := flag.String("data", "", "an existing directory for the files")
	flag.Parse()
	if err := serve(*address, *data); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve returns after SIGTERM or SIGINT, when every connection is closed.
func serve(address, data string) error {
	// Every statement of every client is logged at lower levels.
	quiet := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: address},
		Logger:    quiet,
		Handler:   "sqlite",
		SQLiteURL: "file:" + data + "/",
	})
	if err != nil {
		return err
	}
	running, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	return server.Run(running)
}

// Loads a compose file as `docker compose config` does, with the same library, and prints it as JSON.
//
//	compose FILE [PROFILE...]
//
// Variables come from the environment alone, never from a .env file. Exit status 1: it is no valid file.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	options, err := cli.NewProjectOptions(os.Args[1:2], cli.WithOsEnv, cli.WithProfiles(os.Args[2:]), cli.WithConsistency(true))
	if err != nil {
		end(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		end(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(project); err != nil {
		end(err)
	}
}

func end(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

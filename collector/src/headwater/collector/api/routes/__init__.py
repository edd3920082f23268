"""The API's routes, one router a file. Each file's ``router`` makes it from the services it asks."""

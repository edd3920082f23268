"""deploy/ and docker-compose.yml, checked by the tools that would run them. No container is started."""

"""The container stack: a compose project, and the containers of its connectors' workers."""

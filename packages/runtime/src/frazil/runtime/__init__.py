"""Process habits of all rooms: settings, logs, metrics, tasks, children, Java. No domain words."""

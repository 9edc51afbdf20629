"""Process habits shared by all rooms: settings, logs, metrics, tasks, Java. No domain words."""

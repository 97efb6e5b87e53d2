"""The application: screens, connection to the engine, keymap, preferences."""

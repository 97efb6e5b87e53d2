"""The ways out: webhooks, commands, e-mail."""

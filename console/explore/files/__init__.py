"""What is put in place of the text of the editor: files, notebooks and snippets."""

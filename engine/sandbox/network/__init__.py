"""Network by grant: a sandbox has none; a bridge in it leads to a proxy, which is the only way out."""

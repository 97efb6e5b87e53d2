"""Tables that a guest wrote, paged and sorted; a bounded process reads them."""

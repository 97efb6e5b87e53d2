"""The hash chain, the Merkle tree and signed checkpoints."""

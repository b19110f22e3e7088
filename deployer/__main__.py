"""``python -m deployer``."""

from deployer.cli.main import main

main()

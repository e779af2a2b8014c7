"""Ray nodes on loopback, in a process of their own: ``python nodes.py PROCESSORS…``, a node each.

The program prints the address when all nodes are ready. Each line of stdin names a node to kill,
and the end of stdin ends all nodes.
"""

import os
import sys

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"

from ray.cluster_utils import Cluster


def main() -> None:
    """Start the nodes, kill nodes on command, and end all of them."""
    cluster = Cluster()
    nodes = [
        cluster.add_node(num_cpus=int(processors), object_store_memory=1 << 28)
        for processors in sys.argv[1:]
    ]
    cluster.wait_for_nodes()
    print(cluster.address, flush=True)
    for line in sys.stdin:
        cluster.remove_node(nodes[int(line)], allow_graceful=False)
        print("killed", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main()

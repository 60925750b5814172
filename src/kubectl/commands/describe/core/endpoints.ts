/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { Endpoints } from "#/api/core/v1.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";

const describeEndpoints: Describer = (to, { object }) => {
  const { subsets = [] } = object as unknown as Endpoints;
  to.head(object.metadata);
  to.write(0, "Subsets:\n");
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    to.field(1, "Addresses", addresses.map(({ ip }) => ip).join(",") || "<none>");
    to.field(1, "NotReadyAddresses", notReadyAddresses.map(({ ip }) => ip).join(",") || "<none>");
    if (ports.length > 0)
      to.write(1, "Ports:\n    Name\tPort\tProtocol\n    ----\t----\t--------\n");
    for (const { name, port, protocol } of ports)
      to.write(2, `${name || "<unset>"}\t${port}\t${protocol}\n`);
    to.write(0, "\n");
  }
};

export const endpoints: KindDescriber = { describe: describeEndpoints };

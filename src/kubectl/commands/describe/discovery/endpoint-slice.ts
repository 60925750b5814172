import type { EndpointSlice } from "#/api/discovery/v1.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";

const describeEndpointSlice: Describer = (to, { object }) => {
  const { addressType, ports, endpoints } = object as unknown as EndpointSlice;
  to.head(object.metadata);
  to.field(0, "AddressType", addressType);
  if (!ports?.length) to.write(0, "Ports: <unset>\n");
  else to.write(0, "Ports:\n  Name\tPort\tProtocol\n  ----\t----\t--------\n");
  for (const { name, port, protocol } of ports ?? []) {
    to.write(1, `${name || "<unset>"}\t${port ?? "<unset>"}\t${protocol}\n`);
  }
  to.write(0, `Endpoints:${endpoints?.length ? "" : " <none>"}\n`);
  for (const { addresses, conditions, hostname, targetRef, nodeName, zone } of endpoints ?? []) {
    to.field(1, "- Addresses", (addresses ?? []).join(", ") || "<none>");
    to.write(2, "Conditions:\n");
    to.field(3, "Ready", conditions?.ready ?? "<unset>");
    to.field(2, "Hostname", hostname ?? "<unset>");
    if (targetRef) to.field(2, "TargetRef", `${targetRef.kind ?? ""}/${targetRef.name ?? ""}`);
    to.field(2, "NodeName", nodeName ?? "<unset>");
    to.field(2, "Zone", zone ?? "<unset>");
  }
};

export const endpointSlice: KindDescriber = { describe: describeEndpointSlice };

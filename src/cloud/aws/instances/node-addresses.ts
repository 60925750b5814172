/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go. */
import type { NodeAddress } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { formatIp, parseNetIp } from "#/std/net/ip.ts";
import type { Ec2Instance } from "../client/ec2-operations.ts";

/** The addresses of a machine, in the order of the families ("ipv4", "ipv6"; others are ignored). */
export function computeNodeAddresses(
  instance: Ec2Instance,
  families: readonly string[],
): readonly NodeAddress[] {
  return families.flatMap((family) => {
    if (family === "ipv4") return ipv4Addresses(instance);
    return family === "ipv6" ? ipv6Addresses(instance) : [];
  });
}

function ipv4Addresses(instance: Ec2Instance): readonly NodeAddress[] {
  const { instanceId, ipAddress, privateDnsName, dnsName } = instance;
  const internal = usedInterfaces(instance)
    .flatMap(({ privateIpAddressesSet }) => privateIpAddressesSet)
    .flatMap(({ privateIpAddress }) => privateIpAddress || [])
    .map((text) => {
      const problem = `private address: ${instanceId} (${goQuote(text)})`;
      return { type: "InternalIP", address: canonical(text, problem) };
    });
  const external = ipAddress
    ? [
        {
          type: "ExternalIP",
          address: canonical(ipAddress, `public address: ${instanceId} (${ipAddress})`),
        },
      ]
    : [];
  const internalNames = privateDnsName
    ? [
        { type: "InternalDNS", address: privateDnsName },
        { type: "Hostname", address: privateDnsName },
      ]
    : [];
  const externalNames = dnsName ? [{ type: "ExternalDNS", address: dnsName }] : [];
  return [...internal, ...external, ...internalNames, ...externalNames];
}

/** The first address of each interface; all count as internal, and have no names. */
function ipv6Addresses(instance: Ec2Instance): readonly NodeAddress[] {
  return usedInterfaces(instance)
    .flatMap(({ ipv6AddressesSet }) => ipv6AddressesSet.slice(0, 1))
    .map(({ ipv6Address = "" }) => {
      const ip = parseNetIp(ipv6Address);
      if (!ip) {
        const what = `${instance.instanceId} (${goQuote(ipv6Address)})`;
        throw new Error(`EC2 instance had invalid IPv6 address: ${what}`);
      }
      return { type: "InternalIP", address: formatIp(ip) };
    });
}

/** Interfaces in use, the primary first, those without an attachment last. */
function usedInterfaces({ networkInterfaceSet }: Ec2Instance) {
  const rank = (attachment: { readonly deviceIndex: number | undefined } | undefined): number =>
    attachment ? (attachment.deviceIndex ?? 0) : Number.POSITIVE_INFINITY;
  return networkInterfaceSet
    .filter(({ status }) => status === "in-use")
    .toSorted((a, b) => {
      const [first, second] = [rank(a.attachment), rank(b.attachment)];
      return first === second ? 0 : first - second;
    });
}

function canonical(text: string, problem: string): string {
  const ip = parseNetIp(text, { sloppy: true });
  if (!ip) throw new Error(`EC2 instance had invalid ${problem}`);
  return formatIp(ip);
}

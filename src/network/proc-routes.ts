import { endianness } from "node:os";
import { formatIp } from "#/std/net/ip.ts";

/** A route of the kernel's main table. */
export interface KernelRoute {
  readonly destination: string;
  /** The gateway; undefined if the destination is on the link itself. */
  readonly via: string | undefined;
  readonly device: string;
}

/** The routes in /proc/net/route, read without starting a program. */
export function ipv4Routes(text: string): KernelRoute[] {
  const [, ...lines] = text.trim().split("\n");
  return lines.flatMap((line) => {
    const [device, destination, gateway, , , , , mask] = line.trim().split(/\s+/);
    if (!device || !destination || !gateway || !mask) return [];
    const bits = ipv4Value(mask).toString(2).replaceAll("0", "").length;
    const via = ipv4Value(gateway);
    return {
      destination: `${formatIp({ family: 4, value: ipv4Value(destination) })}/${bits}`,
      via: via === 0n ? undefined : formatIp({ family: 4, value: via }),
      device,
    };
  });
}

/** The routes in /proc/net/ipv6_route. */
export function ipv6Routes(text: string): KernelRoute[] {
  return text
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [destination, bits, , , gateway, , , , , device] = line.trim().split(/\s+/);
      if (!destination || !bits || !gateway || !device) return [];
      const via = BigInt(`0x${gateway}`);
      const address = formatIp({ family: 6, value: BigInt(`0x${destination}`) });
      return {
        destination: `${address}/${Number.parseInt(bits, 16)}`,
        via: via === 0n ? undefined : formatIp({ family: 6, value: via }),
        device,
      };
    });
}

/** The kernel prints the four bytes as a number in the processor's byte order. */
function ipv4Value(hex: string): bigint {
  const bytes = hex.match(/../g) ?? [];
  return BigInt(`0x${(endianness() === "LE" ? bytes.reverse() : bytes).join("")}`);
}

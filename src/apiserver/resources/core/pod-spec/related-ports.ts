import type { ContainerPort } from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";

interface Placed {
  readonly port: ContainerPort;
  readonly at: FieldPath;
  /** Position among the ports of this number. */
  readonly index: number;
}

/** A port that conflicts with another. */
interface Related {
  readonly relation: "duplicate" | "overlapping" | "dangerously ambiguous";
  readonly at: FieldPath;
}

/** Ports of one host port. */
interface SameHostPort {
  readonly all: Placed[];
  readonly byAddress: Map<string, Placed[]>;
}

/**
 * The ports of a Pod with one number and protocol, indexed so that a port is compared only with those that it conflicts
 * with.
 */
export class RelatedPorts {
  readonly #all: Placed[] = [];
  readonly #withoutHostPort: Placed[] = [];
  readonly #byHostPort = new Map<number, SameHostPort>();

  add(port: ContainerPort, at: FieldPath): void {
    const placed = { port, at, index: this.#all.length };
    this.#all.push(placed);
    const { hostPort = 0, hostIP = "" } = port;
    if (hostPort === 0) {
      this.#withoutHostPort.push(placed);
      return;
    }
    const same: SameHostPort = this.#byHostPort.get(hostPort) ?? { all: [], byAddress: new Map() };
    this.#byHostPort.set(hostPort, same);
    same.all.push(placed);
    const ofAddress = same.byAddress.get(hostIP);
    if (ofAddress) ofAddress.push(placed);
    else same.byAddress.set(hostIP, [placed]);
  }

  /** The ports that one conflicts with, in their order. */
  relatedTo(port: ContainerPort): Related[] {
    return this.#candidates(port)
      .sort((a, b) => a.index - b.index)
      .flatMap((other) => {
        const relation = relate(port, other.port);
        return relation ? [{ relation, at: other.at }] : [];
      });
  }

  #candidates({ hostPort = 0, hostIP = "" }: ContainerPort): Placed[] {
    if (hostPort === 0) return [...this.#all];
    const same = this.#byHostPort.get(hostPort);
    const ofAddress = same?.byAddress.get(hostIP) ?? [];
    const ofAny = same?.byAddress.get("") ?? [];
    const others = hostIP === "" ? (same?.all ?? []) : [...ofAddress, ...ofAny];
    return [...this.#withoutHostPort, ...others];
  }
}

function relate(a: ContainerPort, b: ContainerPort): Related["relation"] | undefined {
  const [hostA = "", hostB = ""] = [a.hostIP, b.hostIP];
  const [portA = 0, portB = 0] = [a.hostPort, b.hostPort];
  if (hostA === hostB && portA === portB) return "duplicate";
  if (portA === 0 || portB === 0) return "overlapping";
  const oneIsAny = (hostA === "") !== (hostB === "");
  return portA === portB && oneIsAny ? "dangerously ambiguous" : undefined;
}

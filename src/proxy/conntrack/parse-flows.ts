/** One direction of a flow. */
export interface FlowTuple {
  readonly source: string;
  readonly destination: string;
  readonly sourcePort: number;
  readonly destinationPort: number;
}

/** A UDP flow in the kernel's table. */
export interface UdpFlow {
  readonly original: FlowTuple;
  readonly reply: FlowTuple;
  /** Of several tables; 0 is that of services. */
  readonly zone: number;
}

/** Parses the output of `conntrack -L -p udp`. */
export function parseFlows(text: string): UdpFlow[] {
  return text.split("\n").flatMap((line) => {
    const tuples = [...line.matchAll(/src=(\S+) dst=(\S+) sport=(\d+) dport=(\d+)/g)].map(tupleOf);
    const [original, reply] = tuples;
    if (!original || !reply) return [];
    return [{ original, reply, zone: Number(/ zone=(\d+)/.exec(line)?.[1] ?? 0) }];
  });
}

function tupleOf([, source = "", destination = "", sport, dport]: RegExpExecArray): FlowTuple {
  return { source, destination, sourcePort: Number(sport), destinationPort: Number(dport) };
}

/** A UDP flow in the kernel's table: its destination, and the endpoint that replies. */
export interface UdpFlow {
  readonly destination: string;
  readonly port: number;
  readonly answeredBy: string;
  readonly answeredPort: number;
}

/** Parses the output of `conntrack -L -p udp`. */
export function parseFlows(text: string): UdpFlow[] {
  return text.split("\n").flatMap((line) => {
    const fields = [...line.matchAll(/\b(src|dst|sport|dport)=(\S+)/g)].map(([, , value]) => value);
    const [, destination, , port, answeredBy, , answeredPort] = fields;
    if (!destination || !answeredBy) return [];
    return [{ destination, port: Number(port), answeredBy, answeredPort: Number(answeredPort) }];
  });
}

import { createHash } from "node:crypto";

/**
 * Names of what a case creates, instead of identifiers that differ from run to run: "i-1" for the first instance that was
 * seeded, "sg-new1" for the first security group that the program created, "LB-web" for the load balancer of the Service
 * web. Recordings contain the names only.
 */
export class AwsNames {
  readonly #names = new Map<string, string>();
  readonly #ids = new Map<string, string>();
  #createdGroups = 0;
  #listeners = 0;

  add(id: string, name: string): void {
    if (this.#names.has(id)) return;
    this.#names.set(id, name);
    this.#ids.set(name, id);
  }

  /** Load balancers and their security groups are named after the uid of their Service. */
  addService(clusterName: string, namespace: string, name: string, uid: string): void {
    this.add(`a${uid.replaceAll("-", "")}`.slice(0, 32), `LB-${name}`);
    const hash = createHash("sha256")
      .update(clusterName + name + namespace + uid)
      .digest("hex");
    this.add(hash.slice(0, 10), `hash-${name}`);
    this.add(uid, `uid-${name}`);
  }

  /** Machines have a name in the network of their VPC. */
  addMachine(number: number, description: string): void {
    const name = /<privateDnsName>([^<]+)</.exec(description)?.[1];
    if (name !== undefined) this.add(name, `dns-${number}`);
  }

  /** Learns the identifiers in the answer of a call that creates something. */
  learn(call: string, answer: string): void {
    const first = (pattern: RegExp) => pattern.exec(answer)?.[1];
    if (call === "ec2:CreateSecurityGroup") {
      const id = first(/<groupId>(sg-[0-9a-f]+)<\/groupId>/);
      if (id !== undefined && !this.#names.has(id)) this.add(id, `sg-new${++this.#createdGroups}`);
    }
    if (call === "elbv2:CreateListener") {
      const id = first(/<ListenerArn>[^<]*\/([0-9a-f]+)<\/ListenerArn>/);
      if (id !== undefined && !this.#names.has(id)) this.add(id, `listener${++this.#listeners}`);
    }
    if (call === "elbv2:CreateLoadBalancer") {
      const id = first(/<LoadBalancerArn>[^<]*\/([0-9a-f]+)<\/LoadBalancerArn>/);
      if (id !== undefined) this.add(id, "lb-id");
    }
    if (call === "elbv2:CreateTargetGroup") {
      const id = first(/<TargetGroupArn>[^<]*\/([0-9a-f]+)<\/TargetGroupArn>/);
      if (id !== undefined) this.add(id, "tg-id");
    }
  }

  /** The text with names instead of identifiers. */
  hide(text: string): string {
    let hidden = text;
    for (const [id, name] of this.#names) hidden = hidden.replaceAll(id, name);
    return hidden
      .replaceAll(/<(request_?id)>[^<]*</gi, "<$1>id<")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?/g, "2026-01-01T00:00:00Z")
      .replaceAll(/RequestID: [0-9A-Za-z-]+/g, "RequestID: id");
  }

  /** The text with identifiers instead of names. */
  reveal(text: string): string {
    let revealed = text;
    const byLength = [...this.#ids].toSorted(([a], [b]) => b.length - a.length);
    for (const [name, id] of byLength) {
      revealed = revealed.replaceAll(new RegExp(`(?<![\\w-])${name}(?![\\w-])`, "g"), id);
    }
    return revealed;
  }

  /** As reveal(), for names that are parts of longer ones, as in host names. */
  revealParts(text: string): string {
    let revealed = text;
    for (const [name, id] of this.#ids) revealed = revealed.replaceAll(name, id);
    return revealed;
  }
}

import {
  acknowledge,
  create,
  decodeAttributes,
  encodeMessage,
  errorOf,
} from "#/std/netlink/netlink-message.ts";
import { netfilterProtocol, sendNetlink } from "#/std/netlink/send-netlink.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { ProxyMetrics } from "../base/metrics.ts";

/** The kernel's named counters (nfacct) that rules increment. */
export const invalidDropped = "ct_state_invalid_dropped_pkts";
export const localhostAccepted = "localhost_nps_accepted_pkts";
const names = [invalidDropped, localhostAccepted];

/** Numbers of the kernel: include/uapi/linux/netfilter/nfnetlink_acct.h and nfnetlink.h. */
const newRequest = 7 << 8;
const getRequest = (7 << 8) | 1;
const deleteRequest = (7 << 8) | 3;
const attribute = { name: 1, packets: 2 };
/** The error number of a counter that exists (EBUSY). */
const alreadyExists = 16;
const protocolHeader = Buffer.alloc(4);

/** The part of a rule that increments a counter. */
export function countPacket(counter: string): string {
  return `-m nfacct --nfacct-name ${counter}`;
}

/** Creates the counters that are missing; returns those that exist then: none if the kernel has no support. */
export async function ensureCounters(run: RunProgram): Promise<ReadonlySet<string>> {
  const messages = names.map((name) => requestOf(newRequest, create | acknowledge, name));
  const answers = await sendNetlink(run, netfilterProtocol, messages).catch(() => []);
  const exists = (answer: Buffer | undefined): boolean =>
    answer !== undefined && [0, alreadyExists].includes(errorOf(answer));
  return new Set(names.filter((_, index) => exists(answers[index])));
}

/** Deletes the counters, if no rule refers to them. */
export async function removeCounters(run: RunProgram): Promise<void> {
  const messages = names.map((name) => requestOf(deleteRequest, acknowledge, name));
  await sendNetlink(run, netfilterProtocol, messages).catch(() => []);
}

/** Adds what was counted since the last call to the metrics. */
export class PacketCounters {
  readonly #run: RunProgram;
  readonly #metrics: Pick<ProxyMetrics, "invalidDropped" | "localhostAccepted">;
  readonly #last = new Map<string, number>();

  constructor(
    run: RunProgram,
    metrics: Pick<ProxyMetrics, "invalidDropped" | "localhostAccepted">,
  ) {
    this.#run = run;
    this.#metrics = metrics;
  }

  async update(): Promise<void> {
    const messages = names.map((name) => requestOf(getRequest, 0, name));
    const answers = await sendNetlink(this.#run, netfilterProtocol, messages).catch(() => []);
    for (const [index, answer] of answers.entries()) {
      const packets = decodeAttributes(answer, protocolHeader.length).get(attribute.packets);
      if (errorOf(answer) !== 0 || packets === undefined) continue;
      this.#add(names[index] ?? "", Number(packets.readBigUInt64BE()));
    }
  }

  /** A counter that was reset counts from zero. */
  #add(name: string, packets: number): void {
    const last = this.#last.get(name) ?? 0;
    const { invalidDropped: dropped, localhostAccepted: accepted } = this.#metrics;
    const metric = (name === invalidDropped ? dropped : accepted).with({});
    metric.inc(packets >= last ? packets - last : packets);
    this.#last.set(name, packets);
  }
}

function requestOf(type: number, flags: number, name: string): Buffer {
  const attributes = [{ type: attribute.name, value: Buffer.from(`${name}\0`) }];
  return encodeMessage({ type, flags, header: protocolHeader, attributes });
}

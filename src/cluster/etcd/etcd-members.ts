import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GrpcError } from "#/std/grpc/grpc.ts";
import type { CallOptions } from "#/std/grpc/grpc-call.ts";
import { type Channel, openChannel, type TlsMaterial } from "#/std/grpc/grpc-channel.ts";
import { type ServiceClient, serviceClient } from "#/std/grpc/grpc-client.ts";
import { systemClock } from "#/std/time/clock.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { Cluster, type EtcdMember, type EtcdStatus, Maintenance } from "./cluster-service.ts";

/** Limit of a request to a member (ms); etcd itself gives up a change after 7 s. */
const changeMs = 10_000;
const statusMs = 2_000;
/**
 * How long a change is tried again (ms), and how often: etcd changes its list only when all members have been connected for
 * five seconds, and the one before may just have joined.
 */
const settleMs = 10_000;
const settleStepMs = 250;
/** Limit of a defragmentation (ms): of the largest database, on a slow disk. */
const defragmentMs = 600_000;

/** A request to a member. */
type Send<T> = (cluster: ServiceClient<typeof Cluster>, options: CallOptions) => Promise<T>;

/** The members of etcd, asked at the first address that answers. To be disposed of. */
export class EtcdMembers implements Disposable {
  readonly #tls: TlsMaterial;
  readonly #addresses: readonly string[];
  readonly #channels = new Map<string, Channel>();

  /** With the client certificate of this server. */
  constructor({ pki }: ClusterPaths, addresses: readonly string[]) {
    const read = (name: string): Buffer => readFileSync(join(pki, name));
    this.#tls = {
      ca: read("etcd/ca.crt"),
      cert: read("apiserver-etcd-client.crt"),
      key: read("apiserver-etcd-client.key"),
    };
    this.#addresses = addresses;
  }

  /** The time is the limit of each address that is asked. */
  async list(timeoutMs = changeMs): Promise<readonly EtcdMember[]> {
    const answer = await this.#ask((cluster) => cluster.MemberList({}, { timeoutMs }));
    return answer.members;
  }

  /** Adds a member that does not vote until it is promoted. */
  async addLearner(peerUrl: string): Promise<void> {
    const request = { peerUrls: [peerUrl], isLearner: true };
    await this.#change((cluster, options) => cluster.MemberAdd(request, options));
  }

  async remove({ id }: EtcdMember): Promise<void> {
    await this.#change((cluster, options) => cluster.MemberRemove({ id }, options));
  }

  async promote({ id }: EtcdMember): Promise<void> {
    await this.#ask((cluster, options) => cluster.MemberPromote({ id }, options));
  }

  async move({ id }: EtcdMember, peerUrl: string): Promise<void> {
    const request = { id, peerUrls: [peerUrl] };
    await this.#ask((cluster, options) => cluster.MemberUpdate(request, options));
  }

  /** The status of a member; undefined if it does not answer. */
  async status({ clientUrls: [address] }: EtcdMember): Promise<EtcdStatus | undefined> {
    if (address === undefined) return undefined;
    try {
      const service = serviceClient(Maintenance, this.#channel(address));
      return await service.Status({}, { timeoutMs: statusMs });
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error;
      // One that starts answers soon: the next attempt must not wait for the back-off of this connection.
      this.#forget(address);
      return undefined;
    }
  }

  #forget(address: string): void {
    this.#channels.get(address)?.close();
    this.#channels.delete(address);
  }

  /** Has a member give the free space of its database back; it answers nothing meanwhile. */
  async defragment({ clientUrls: [address = ""] }: EtcdMember): Promise<void> {
    const service = serviceClient(Maintenance, this.#channel(address));
    await service.Defragment({}, { timeoutMs: defragmentMs });
  }

  [Symbol.dispose](): void {
    for (const channel of this.#channels.values()) channel.close();
  }

  /** Asks for a change that etcd refuses while members have not been connected for long enough. */
  async #change(send: Send<unknown>): Promise<void> {
    const endMs = systemClock.monotonicMs() + settleMs;
    for (;;) {
      try {
        await this.#ask(send);
        return;
      } catch (error) {
        const isYoung = error instanceof NoQuorum && error.details.includes("unhealthy cluster");
        if (!isYoung || systemClock.monotonicMs() > endMs) throw error;
      }
      await systemClock.sleep(settleStepMs);
    }
  }

  /** Goes on to the next address only if the request was certainly not executed, or the address has no leader. */
  async #ask<T>(send: Send<T>): Promise<T> {
    let last: unknown;
    for (const address of this.#addresses) {
      const cluster = serviceClient(Cluster, this.#channel(address));
      try {
        return await send(cluster, { timeoutMs: changeMs });
      } catch (error) {
        if (!(error instanceof GrpcError)) throw error;
        last = error;
        if (!mayAskAnother(error)) throw refusal(error);
      }
    }
    const where = this.#addresses.join(", ") || "no address";
    throw new CommandFailure(`etcd does not answer at ${where}: ${(last as Error)?.message}`);
  }

  #channel(address: string): Channel {
    const known = this.#channels.get(address);
    if (known) return known;
    const channel = openChannel({ address, tls: this.#tls });
    this.#channels.set(address, channel);
    return channel;
  }
}

const mayAskAnother = ({ code, sent, details }: GrpcError): boolean =>
  !sent || code === "DEADLINE_EXCEEDED" || (code === "UNAVAILABLE" && !isAnswer(details));

/** Whether a member itself has refused a request, and not the way to it. */
const isAnswer = (details: string): boolean => details.startsWith("etcdserver: ");

/** A refusal of etcd in words that say what to do. */
function refusal({ details, message }: GrpcError): Error {
  if (/no leader|re-configuration failed due to not enough started|unhealthy cluster/.test(details))
    return new NoQuorum(details);
  if (/in sync with leader/.test(details)) return new NotCaughtUp(details);
  return new CommandFailure(`etcd refuses: ${details || message}`);
}

/** Too few members run for a change of their list. */
class NoQuorum extends CommandFailure {
  readonly details: string;

  constructor(details: string) {
    super(
      `too few servers run to change their list: most of etcd's members must (${details})\n  start those that are stopped, or, if they are gone for ever, see "A majority is lost" in docs/how-to/several-servers.md`,
    );
    this.details = details;
  }
}

/** A learner has not got all entries yet. */
export class NotCaughtUp extends CommandFailure {}

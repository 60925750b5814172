import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openChannel } from "#/std/grpc/grpc-channel.ts";
import { serviceClient } from "#/std/grpc/grpc-client.ts";
import { systemClock } from "#/std/time/clock.ts";
import { EtcdCluster, type EtcdMember } from "#/testing/etcd-cluster.ts";
import { until } from "#/testing/until.ts";
import { WriteLoad } from "#/testing/write-load.ts";
import { Maintenance } from "./etcd-services.ts";
import { type EtcdOptions, EtcdStorage } from "./etcd-storage.ts";

const timeoutMs = 60_000;

/** Detects a silent member soon, so that tests are fast. */
const shortTimeouts = { keepaliveMs: 200, keepaliveTimeoutMs: 300, readAttemptMs: 500 };

/** The members, the leader first, which the storage then uses. */
async function leaderFirst({ members }: EtcdCluster): Promise<EtcdMember[]> {
  const leader = await until("a leader", async () => {
    const leads = await Promise.all(members.map(isLeader));
    return members[leads.indexOf(true)];
  });
  return [leader, ...members.filter((member) => member !== leader)];
}

async function isLeader(member: EtcdMember): Promise<boolean> {
  const { header, leader } = await statusOf(member);
  return header?.memberId === leader;
}

async function statusOf({ endpoint }: EtcdMember) {
  const channel = openChannel({ address: endpoint });
  try {
    return await serviceClient(Maintenance, channel).Status({});
  } finally {
    channel.close();
  }
}

interface UnderLoad extends AsyncDisposable {
  readonly members: readonly EtcdMember[];
  readonly load: WriteLoad;
  readonly storage: EtcdStorage;
}

async function threeMembersUnderLoad(options: Partial<EtcdOptions> = {}): Promise<UnderLoad> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await EtcdCluster.start({ size: 3 }));
  const members = await leaderFirst(cluster);
  const endpoints = members.map(({ endpoint }) => endpoint);
  const storage = stack.use(await EtcdStorage.open({ endpoints, ...shortTimeouts, ...options }));
  const after = await storage.revision();
  const load = new WriteLoad(storage, { prefix: "/registry/load/", after, writers: 8 });
  const owned = stack.move();
  return { members, load, storage, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

describe("etcd under load", { timeout: timeoutMs }, () => {
  test("loses nothing when the leader is killed", async () => {
    await using it = await threeMembersUnderLoad();
    const { load, members } = it;
    await load.more(200);
    await members[0]?.kill();
    await load.more(200);
    await members[0]?.start();
    await load.more(200);
    await load.check();
    for (const name of Object.keys(load.failures)) assert.equal(name, "AmbiguousWriteError");
  });

  test("loses nothing when its member is paused", async () => {
    await using it = await threeMembersUnderLoad();
    const { load, members } = it;
    await load.more(200);
    members[0]?.freeze();
    await load.more(200);
    members[0]?.thaw();
    await load.more(200);
    await load.check();
  });

  test("gives up writes that a paused member does not answer, within seconds", async () => {
    // Pings find nothing for a long time, as by default.
    const defaults = { keepaliveMs: 30_000, keepaliveTimeoutMs: 10_000, readAttemptMs: 5_000 };
    await using it = await threeMembersUnderLoad(defaults);
    const { load, members, storage } = it;
    await load.more(100);
    members[0]?.freeze();
    await storage.revision();
    const beganMs = systemClock.monotonicMs();
    // Each of its writers waits for the paused member at first.
    await until("writes were given up", () => load.failures["AmbiguousWriteError"] !== undefined);
    await load.more(20);
    assert.ok(systemClock.monotonicMs() - beganMs < 9_000);
    members[0]?.thaw();
    await load.more(100);
    await load.check();
  });

  test("loses nothing when every member is killed in turn", async () => {
    await using it = await threeMembersUnderLoad();
    const { load, members } = it;
    for (const member of members) {
      await load.more(100);
      await member.kill();
      await load.more(10);
      await member.start();
    }
    await load.more(100);
    await load.check();
  });

  test("recovers after the loss of the majority", async () => {
    await using it = await threeMembersUnderLoad();
    const { load, members } = it;
    await load.more(100);
    const [first, second, third] = members;
    assert.ok(first && second && third);
    await Promise.all([first.kill(), second.kill()]);
    await until("the last member has no leader", async () => !(await statusOf(third)).leader);
    await second.start();
    await load.more(100);
    await load.check();
  });
});

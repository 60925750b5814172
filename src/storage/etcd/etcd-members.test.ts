import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aborted } from "#/std/async/aborted.ts";
import { type GrpcCode, GrpcError } from "#/std/grpc/grpc.ts";
import { systemClock } from "#/std/time/clock.ts";
import { implement, serve } from "#/testing/grpc-server.ts";
import {
  AmbiguousWriteError,
  ClosedError,
  NoSpaceError,
  UnavailableError,
} from "../base/storage.ts";
import { Members, type MembersOptions } from "./etcd-members.ts";
import { KV } from "./etcd-services.ts";

type Answer = "ok" | "hang" | readonly [GrpcCode, string];

/**
 * A member that gives these responses in turn, and then repeats the last one; counts the requests.
 */
async function fakeMember(...answers: readonly Answer[]) {
  const member = { requests: 0, address: "" };
  const respond = async (signal: AbortSignal): Promise<object> => {
    const answer = answers[Math.min(member.requests++, answers.length - 1)] ?? "ok";
    if (answer === "hang") await aborted(signal);
    else if (answer !== "ok") throw new GrpcError(...answer);
    return { header: { revision: 7 } };
  };
  const kv = implement(KV, {
    Range: (_, { signal }) => respond(signal),
    Txn: (_, { signal }) => respond(signal),
  });
  const server = await serve({ address: "127.0.0.1:0", services: [kv] });
  member.address = `http://127.0.0.1:${server.port}`;
  return Object.assign(member, server);
}

type FakeMember = Awaited<ReturnType<typeof fakeMember>>;

/** Timeouts of a client; the defaults suit slow machines. */
type Timeouts = Pick<MembersOptions, "requestTimeoutMs" | "readAttemptMs">;

async function withMembers(
  fakes: readonly FakeMember[],
  run: (members: Members) => Promise<void>,
  timeouts: Timeouts = {},
): Promise<void> {
  const members = await Members.open({
    endpoints: fakes.map(({ address }) => address),
    clock: systemClock,
    ...timeouts,
  });
  try {
    await run(members);
  } finally {
    await members.close();
    for (const fake of fakes) await fake[Symbol.asyncDispose]();
  }
}

const read = (members: Members): Promise<unknown> =>
  members.read(({ kv }, options) => kv.Range({ key: "a" }, options));
const write = (members: Members): Promise<unknown> =>
  members.write(({ kv }, options) => kv.Txn({}, options));

const dropped: Answer = ["UNAVAILABLE", "etcdserver: request timed out"];
const noLeader: Answer = ["UNAVAILABLE", "etcdserver: no leader"];

describe("Members", () => {
  const cases: readonly {
    name: string;
    answers: readonly (readonly Answer[])[];
    request: typeof read;
    timeouts?: Timeouts;
    fails?: new (message: string) => Error;
    requests: readonly number[];
  }[] = [
    {
      name: "reads from the first member",
      answers: [["ok"], ["ok"]],
      request: read,
      requests: [1, 0],
    },
    {
      name: "reads from the next member when one fails",
      answers: [[dropped], ["ok"]],
      request: read,
      requests: [1, 1],
    },
    {
      name: "reads from the next member when one is silent",
      answers: [["hang"], ["ok"]],
      request: read,
      timeouts: { readAttemptMs: 1_000 },
      requests: [1, 1],
    },
    {
      name: "retries a read when all members failed once",
      answers: [[noLeader, "ok"], [dropped]],
      request: read,
      requests: [2, 1],
    },
    { name: "writes once", answers: [["ok"], ["ok"]], request: write, requests: [1, 0] },
    {
      name: "retries a refused write",
      answers: [[noLeader], ["ok"]],
      request: write,
      requests: [1, 1],
    },
    {
      name: "never repeats a write of unknown outcome",
      answers: [[dropped], ["ok"]],
      request: write,
      fails: AmbiguousWriteError,
      requests: [1, 0],
    },
    {
      name: "does not retry permanent failures",
      answers: [[["RESOURCE_EXHAUSTED", "etcdserver: mvcc: database space exceeded"]], ["ok"]],
      request: write,
      fails: NoSpaceError,
      requests: [1, 0],
    },
  ];
  for (const { name, answers, request, timeouts, fails, requests } of cases) {
    test(name, async () => {
      const fakes = await Promise.all(answers.map((own) => fakeMember(...own)));
      const run = async (members: Members): Promise<void> => {
        if (fails) await assert.rejects(request(members), fails);
        else await request(members);
      };
      await withMembers(fakes, run, timeouts);
      assert.deepEqual(
        fakes.map((fake) => fake.requests),
        requests,
      );
    });
  }

  test("stays with a working member", async () => {
    const fakes = [await fakeMember(dropped), await fakeMember("ok")];
    await withMembers(fakes, async (members) => {
      for (let index = 0; index < 3; index++) await read(members);
    });
    assert.deepEqual(
      fakes.map((fake) => fake.requests),
      [1, 3],
    );
  });

  test("rejects after its timeout, and reports that nothing was written", async () => {
    const gone = await fakeMember();
    await gone[Symbol.asyncDispose]();
    const run = async (members: Members): Promise<void> => {
      await assert.rejects(read(members), UnavailableError);
      await assert.rejects(write(members), UnavailableError);
    };
    await withMembers([gone], run, { requestTimeoutMs: 500 });
  });

  test("waits for writes when closed, and refuses new ones", async () => {
    const fake = await fakeMember("ok");
    await withMembers([fake], async (members) => {
      await read(members);
      const writing = write(members);
      await members.close();
      assert.deepEqual(await Promise.allSettled([writing]), [
        { status: "fulfilled", value: await writing },
      ]);
      await assert.rejects(read(members), ClosedError);
      await assert.rejects(write(members), ClosedError);
    });
  });

  test("aborts reads when closed", async () => {
    await withMembers([await fakeMember("hang")], async (members) => {
      const reading = assert.rejects(read(members), ClosedError);
      await members.close();
      await reading;
    });
  });

  test("refuses to open without endpoints or with a missing certificate", async () => {
    const clock = systemClock;
    await assert.rejects(Members.open({ endpoints: [], clock }), TypeError);
    const tls = { caFile: "/nowhere/ca.pem" };
    await assert.rejects(
      Members.open({ endpoints: ["https://127.0.0.1:1"], tls, clock }),
      /\/nowhere\/ca.pem can't be read/,
    );
  });
});

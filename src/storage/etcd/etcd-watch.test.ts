import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { GrpcError, type RequestOut, type ResponseIn } from "#/std/grpc/grpc.ts";
import { nextTurn, systemClock } from "#/std/time/clock.ts";
import { implement, serve } from "#/testing/grpc-server.ts";
import { until } from "#/testing/until.ts";
import { AccessDeniedError, CompactedError, type WatchBatch } from "../base/storage.ts";
import { Members } from "./etcd-members.ts";
import { Maintenance, Watch } from "./etcd-services.ts";
import { EtcdWatch } from "./etcd-watch.ts";
import { WrittenValues } from "./written-values.ts";

type Request = RequestOut<(typeof Watch)["methods"]["Watch"]>;
type Response = ResponseIn<(typeof Watch)["methods"]["Watch"]>;
/**
 * Actions of a fake member on one watch stream: sends, fails, or waits until the client
 * disconnects.
 */
type Script = readonly (Response | "break down" | "stay")[] | Dialogue;
type Dialogue = (requests: AsyncIterator<Request>) => AsyncGenerator<Response>;

interface FakeOptions {
  readonly version?: string;
  readonly revision?: number;
  readonly after?: number;
  /** One script for each connection; the last one serves all later connections. */
  readonly scripts: readonly Script[];
}

interface Fixture extends AsyncDisposable {
  readonly watch: EtcdWatch;
  readonly batches: AsyncIterator<WatchBatch>;
  readonly created: NonNullable<NonNullable<Request["request"]>["create"]>[];
  readonly abort: AbortController;
}

async function fixture(options: FakeOptions): Promise<Fixture> {
  const { version = "3.6.0", revision = 10, after = 10, scripts } = options;
  const created: Fixture["created"] = [];
  async function* record(requests: AsyncIterable<Request>): AsyncGenerator<Request> {
    for await (const request of requests) {
      if (request.request?.create) created.push(request.request.create);
      yield request;
    }
  }
  let connections = 0;
  const server = await serve({
    address: "127.0.0.1:0",
    services: [
      implement(Maintenance, { Status: async () => ({ version, header: { revision } }) }),
      implement(Watch, {
        async *Watch(requests) {
          const script = scripts[Math.min(connections++, scripts.length - 1)];
          const recorded = record(requests);
          await recorded.next();
          yield { created: true };
          if (script) yield* play(script, recorded);
        },
      }),
    ],
  });
  const endpoints = [`http://127.0.0.1:${server.port}`];
  const members = await Members.open({ endpoints, clock: systemClock });
  const abort = new AbortController();
  const { signal } = abort;
  const source = { members, clock: systemClock, written: new WrittenValues() };
  const watch = new EtcdWatch(source, "/a/", { after, signal });
  return {
    watch,
    batches: watch.batches(),
    created,
    abort,
    async [Symbol.asyncDispose]() {
      abort.abort();
      await members.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const event = (revision: number, key = "/a/1"): Response => ({
  header: { revision },
  events: [{ kv: { key, createRevision: revision, modRevision: revision } }],
});

async function* play(script: Script, requests: AsyncIterator<Request>): AsyncGenerator<Response> {
  if (typeof script === "function") return yield* script(requests);
  for (const step of script) {
    if (step === "break down") throw new GrpcError("UNAVAILABLE", "etcdserver: server stopped");
    if (step !== "stay") yield step;
    else while (!(await requests.next()).done);
  }
}

/** Revisions of the next batch: its own, then those of its events. */
async function next({ batches }: Fixture): Promise<number[] | undefined> {
  const { value, done } = await batches.next();
  if (done) return undefined;
  const { events, revision } = value as WatchBatch;
  return [revision, ...events.map((one) => (one.type === "put" ? one.entry.modRevision : 0))];
}

/**
 * The same for all batches until one reaches a revision: how events are divided into batches is not
 * fixed.
 */
async function nextUntil(it: Fixture, revision: number): Promise<number[]> {
  const events: number[] = [];
  for (;;) {
    const [reached = 0, ...more] = (await next(it)) ?? assert.fail("the watch has ended");
    events.push(...more);
    if (reached >= revision) return [reached, ...events];
  }
}

describe("EtcdWatch", () => {
  test("resumes after a broken stream", async () => {
    await using it = await fixture({
      scripts: [
        [event(11), event(13), "break down"],
        ["break down"],
        [event(13), event(14), "stay"],
      ],
    });
    assert.deepEqual(await nextUntil(it, 13), [13, 11, 13]);
    assert.deepEqual(await nextUntil(it, 14), [14, 14]);
    assert.deepEqual(
      it.created.map(({ startRevision }) => startRevision),
      [11, 14, 14],
    );
  });

  test("watches its prefix, with previous values, fragments and progress", async () => {
    await using it = await fixture({ scripts: [[event(11)]] });
    await next(it);
    assert.deepEqual(it.created, [
      {
        key: "/a/",
        rangeEnd: new TextEncoder().encode("/a0"),
        startRevision: 11,
        prevKv: true,
        fragment: true,
        progressNotify: true,
      },
    ]);
  });

  test("watches history from one revision earlier, to detect its compaction", async () => {
    const script: Script = [{ canceled: true, compactRevision: 9 }];
    await using it = await fixture({ after: 8, revision: 10, scripts: [script] });
    await assert.rejects(next(it), (error) => {
      assert.ok(error instanceof CompactedError);
      assert.equal(error.compactRevision, 9);
      return true;
    });
    assert.equal(it.created[0]?.startRevision, 8);
  });

  test("ends when access is denied", async () => {
    const cancelReason = "rpc error: code = PermissionDenied desc = etcdserver: permission denied";
    await using it = await fixture({ scripts: [[{ canceled: true, cancelReason }]] });
    await assert.rejects(next(it), AccessDeniedError);
  });

  test("requests progress until it reaches the revision", async () => {
    let asked = 0;
    const dialogue: Dialogue = async function* (requests) {
      for (;;) {
        const { value, done } = await requests.next();
        if (done) return;
        if (value.request?.progress && ++asked >= 3) yield { header: { revision: 8 + asked } };
      }
    };
    await using it = await fixture({ scripts: [dialogue] });
    it.watch.requestProgress(12);
    assert.deepEqual(await next(it), [11]);
    assert.deepEqual(await next(it), [12]);
    assert.equal(asked, 4);
  });

  test("yields progress at once if the revision is reached", async () => {
    await using it = await fixture({ scripts: [["stay"]] });
    it.watch.requestProgress(10);
    assert.deepEqual(await next(it), [10]);
    const waiting = next(it);
    await nextTurn();
    it.watch.requestProgress(9);
    assert.deepEqual(await waiting, [10]);
  });

  test("watches everything if progress is not reliable", async () => {
    const script: Script = [event(11), { header: { revision: 20 } }, event(12, "/b/1"), "stay"];
    await using it = await fixture({ version: "3.4.23", scripts: [script] });
    it.watch.requestProgress(12);
    assert.deepEqual(await nextUntil(it, 12), [12, 11]);
    assert.equal(it.created[0]?.key, "\0");
  });

  test("ends quietly when aborted while it waits", async () => {
    await using it = await fixture({ scripts: [["stay"]] });
    const waiting = next(it);
    await until("the watch is made", () => it.created.length > 0);
    it.abort.abort();
    assert.equal(await waiting, undefined);
  });

  test("ends quietly when aborted between two batches", async () => {
    await using it = await fixture({ scripts: [["stay"]] });
    it.watch.requestProgress(10);
    await next(it);
    it.abort.abort();
    await nextTurn();
    assert.equal(await next(it), undefined);
  });
});

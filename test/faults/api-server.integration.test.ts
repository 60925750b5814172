import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { EtcdCluster } from "#/testing/etcd-cluster.ts";
import { until } from "#/testing/until.ts";
import { ApiServerProcess } from "./api-server-process.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string) => ({ metadata: { name }, data: { a: "b" } });

/** Writes until the server is stopped, and collects the names of objects whose creation it confirmed. */
async function writeUntilGone(
  server: ApiServerProcess,
  writer: number,
  acknowledged: string[],
): Promise<void> {
  for (let n = 0; ; n++) {
    const name = `m-${writer}-${n}`;
    const answer = await server.send("POST", maps, configMap(name)).catch(() => undefined);
    if (!answer) return;
    if (answer.status === 201) acknowledged.push(name);
  }
}

test("large requests follow each other on one connection", async () => {
  await using server = await ApiServerProcess.start();
  const data = { a: "x".repeat(256 * 1024) };
  for (let count = 0; count < 60; count++) {
    const body = { metadata: { name: `m-${count}` }, data };
    assert.equal((await server.send("POST", `${maps}?dryRun=All`, body)).status, 201);
  }
});

test("SIGKILL loses no acknowledged write", async () => {
  await using server = await ApiServerProcess.start();
  const acknowledged: string[] = [];
  const writers = Array.from({ length: 8 }, (_, writer) =>
    writeUntilGone(server, writer, acknowledged),
  );
  await until("some writes", () => acknowledged.length > 100);
  await server.end("SIGKILL");
  await Promise.all(writers);
  await server.run();
  const { text } = await server.send("GET", maps);
  const found = new Set(
    (JSON.parse(text) as { items: { metadata: { name: string } }[] }).items.map(
      ({ metadata }) => metadata.name,
    ),
  );
  assert.deepEqual(
    acknowledged.filter((name) => !found.has(name)),
    [],
  );
});

test("SIGTERM: not ready first, then watches end, then the process, with exit code 0", async () => {
  // Long enough for a busy machine to observe the state in between.
  await using server = await ApiServerProcess.start(["--shutdown-delay-duration=3s"]);
  const watch = server.send("GET", `${maps}?watch=true`);
  const ended = server.end("SIGTERM");
  await until("not ready", async () => (await server.send("GET", "/readyz")).status === 500);
  assert.equal((await server.send("GET", "/livez")).status, 200);
  assert.equal((await server.send("POST", maps, configMap("late"))).status, 201);
  assert.equal((await watch).status, 200);
  assert.equal(await ended, 0);
});

test("a stopped store causes 5xx, and after its restart requests succeed again", async () => {
  await using etcd = await EtcdCluster.start();
  const [member] = etcd.members;
  assert.ok(member);
  await using server = await ApiServerProcess.start([`--etcd-servers=${member.endpoint}`]);
  assert.equal((await server.send("POST", maps, configMap("before"))).status, 201);
  await member.kill();
  const down = await server.send("POST", `${maps}?timeout=3s`, configMap("during"));
  assert.ok(down.status >= 500, down.text);
  await member.start();
  let tries = 0;
  await until("writes succeed again", async () => {
    const { status } = await server.send("POST", maps, configMap(`after-${tries++}`));
    return status === 201;
  });
  assert.equal((await server.send("GET", `${maps}/before`)).status, 200);
});

test("a flood of large bodies neither blocks other requests nor exhausts memory", async () => {
  await using server = await ApiServerProcess.start();
  const before = await server.residentMiB();
  const large = { metadata: { name: "large" }, data: { a: "x".repeat(2_900_000) } };
  const flood = Array.from({ length: 60 }, () => server.send("POST", maps, large));
  let slowestMs = 0;
  for (let n = 0; n < 20; n++) {
    const started = systemClock.monotonicMs();
    assert.equal((await server.send("GET", "/api/v1/namespaces/default")).status, 200);
    slowestMs = Math.max(slowestMs, systemClock.monotonicMs() - started);
  }
  const answers = await Promise.all(flood);
  assert.ok(answers.every(({ status }) => status === 422 || status === 429 || status === 413));
  const grownMiB = (await server.residentMiB()) - before;
  process.stdout.write(
    `60 bodies of 2.9 MB: ${Math.round(grownMiB)} MiB more, others answered within ${Math.round(slowestMs)} ms\n`,
  );
  // Bytes, text and parsed values of all 60 bodies at a time, with what is not collected yet: five times their 166 MiB.
  assert.ok(grownMiB < 5 * 166, `${grownMiB} MiB more`);
});

/** Watches without events; many on each connection. */
async function openWatches(server: ApiServerProcess, count: number) {
  const sessions: ClientHttp2Session[] = [];
  const streams: ClientHttp2Stream[] = [];
  const perConnection = 100;
  for (let opened = 0; opened < count; opened += perConnection) {
    const session = connect(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
    sessions.push(session);
    const own = Array.from({ length: Math.min(perConnection, count - opened) }, () =>
      session.request({ ":path": `${maps}?watch=true`, authorization: "Bearer token" }),
    );
    await Promise.all(own.map((stream) => once(stream, "response")));
    streams.push(...own);
  }
  return {
    streams,
    [Symbol.dispose]: () => {
      for (const session of sessions) session.destroy();
    },
  };
}

async function firstLine(stream: ClientHttp2Stream): Promise<string> {
  let text = "";
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    text += chunk.toString();
    if (text.includes("\n")) break;
  }
  return text;
}

test("thousands of idle watches cost little, slow no request down, and all get a change", async () => {
  const count = Number(process.env["K8TS_WATCHES"] ?? 1000);
  await using server = await ApiServerProcess.start();
  const before = await server.residentMiB();
  using watches = await openWatches(server, count);
  const heard = Promise.all(watches.streams.map(firstLine));
  const started = systemClock.monotonicMs();
  assert.equal((await server.send("POST", maps, configMap("news"))).status, 201);
  const wroteMs = systemClock.monotonicMs() - started;
  const events = await heard;
  const allMs = systemClock.monotonicMs() - started;
  assert.ok(events.every((event) => event.includes("news")));
  const grownKiB = ((await server.residentMiB()) - before) * 1024;
  const report = `${count} watches: ${Math.round(grownKiB / count)} KiB each, a write in ${Math.round(wroteMs)} ms, all told in ${Math.round(allMs)} ms`;
  process.stdout.write(`${report}\n`);
  assert.ok(grownKiB / count < 100, report);
});

test("ApiServerProcess.start() fails with the last output of a server that ends", async () => {
  await assert.rejects(ApiServerProcess.start(["--nonsense=1"]), {
    message: "the server did not get ready: it ended with 1\nError: unknown flag: --nonsense\n",
  });
});

import { callInProcess, collectBody } from "#/apiserver/http/in-process.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { MemoryStorage } from "#/testing/memory-storage/memory-storage.ts";
import { startSecuredServer } from "#/testing/start-secured-server.ts";
import { apiServerCycles, type Send } from "./api-server-cycle.ts";
import { type Area, forgetHistory } from "./heap.ts";

/** Time in which events, tokens and history expire (ms). */
const expiryMs = 2 * 60 * 60_000;

/** An API server with its authenticators, RBAC and admission, on a clock that passes quickly. */
export async function openApiServer(part: string): Promise<Area> {
  const clock = new FakeClock();
  const storage = new MemoryStorage({ clock, historyLimit: 50 });
  const server = await startSecuredServer({ clock, storage, admission: true });
  const send: Send = async (method, url, body, { token = "admintoken", signal } = {}) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const bytes = Buffer.from(body ? JSON.stringify(body) : "");
    const request = { method, url, headers, body: bytes, clock, ...(signal && { signal }) };
    const reply = await callInProcess(server.handler, request);
    return { status: reply.status, text: (await collectBody(reply, signal)).toString() };
  };
  const metadata = { name: "default" };
  await send("POST", "/api/v1/namespaces", { metadata });
  await send("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata });
  const run = apiServerCycles[part];
  if (!run) throw new Error(`there is no part ${part}`);
  return {
    cycle: async (n) => {
      await whileTimePasses(clock, run(send, n));
      await clock.advance(60_000);
    },
    settle: async () => {
      await clock.advance(expiryMs);
      forgetHistory(server.api.registry);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Number of turns in which the clock advances quickly: nothing of a cycle waits for a timer that is longer. */
const quickTurns = 1000;
/** Steps of the clock (ms), at first and then: work that waits for the disk or a thread must not see its tokens expire. */
const quickStepMs = 100;
const slowStepMs = 1;

/** Advances the clock a little in each turn until the work is done: parts of the server wait for its timers. */
async function whileTimePasses(clock: FakeClock, work: Promise<void>): Promise<void> {
  let isOver = false;
  const done = work.finally(() => {
    isOver = true;
  });
  // A failure is reported below.
  done.catch(() => undefined);
  for (let turn = 0; !isOver; turn++)
    await clock.advance(turn < quickTurns ? quickStepMs : slowStepMs);
  await done;
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { notFound, serviceUnavailable } from "#/machinery/meta/status-error.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { until } from "#/testing/until.ts";
import { Client } from "../client.ts";
import type { ApiRequest, Transport } from "../transport/transport.ts";
import { StepRecorder } from "./recorder.ts";

/** A client whose server gives these answers, and the names of the steps that it received. */
function serverWith(answer: () => ReturnType<typeof refusal> | undefined) {
  const received: string[][] = [];
  const unused = () => {
    throw new Error("unused");
  };
  const transport: Transport = {
    request: async ({ body }: ApiRequest) => {
      const failure = answer();
      if (failure) return { headers: {}, warnings: [], ...failure };
      const { items } = body as { items: readonly { name: string }[] };
      received.push(items.map(({ name }) => name));
      return { status: 201, headers: {}, body: {}, warnings: [] };
    },
    stream: unused,
    watch: unused,
    upgrade: unused,
    [Symbol.asyncDispose]: async () => undefined,
  };
  return { client: new Client(transport), received };
}

const step = (name: string, facts = {}) => ({
  of: { resource: "pods", namespace: "a", name: "p" },
  layer: "node" as const,
  name,
  fromMs: 1000,
  facts,
});

const refusal = (error: ReturnType<typeof notFound>) => ({
  status: error.code,
  body: error.status,
});

test("StepRecorder sends steps together", async () => {
  const clock = new FakeClock();
  const { client, received } = serverWith(() => undefined);
  const recorder = new StepRecorder(client, clock);
  recorder.add(step("a"));
  recorder.add(step("b"));
  await clock.advance(250);
  await until("a report", () => received.length === 1);
  assert.deepEqual(received, [["a", "b"]]);
});

test("StepRecorder sends steps that come while it sends", async () => {
  const clock = new FakeClock();
  const { client, received } = serverWith(() => undefined);
  const recorder = new StepRecorder(client, clock);
  for (const name of ["a", "b", "c"]) {
    recorder.add(step(name));
    const sending = clock.advance(250);
    recorder.add(step(`${name}2`));
    await sending;
    await clock.advance(250);
  }
  await clock.advance(1000);
  await until("all reports", () => received.flat().length === 6);
});

test("StepRecorder asks a server without journeys once", async () => {
  const clock = new FakeClock();
  let asked = 0;
  const { client } = serverWith(() => {
    asked++;
    return refusal(notFound({ group: "", name: "steps" }, ""));
  });
  const recorder = new StepRecorder(client, clock);
  recorder.add(step("a"));
  await clock.advance(250);
  await until("it is off", () => !recorder.isOn);
  recorder.add(step("b"));
  await clock.advance(60_000);
  assert.equal(asked, 1);
});

test("StepRecorder keeps steps while the server does not answer, up to a limit", async () => {
  const clock = new FakeClock();
  let isDown = true;
  const { client, received } = serverWith(() =>
    isDown ? refusal(serviceUnavailable("down")) : undefined,
  );
  const recorder = new StepRecorder(client, clock);
  for (let index = 0; index < 10_050; index++) recorder.add(step(String(index)));
  await clock.advance(250);
  isDown = false;
  await until("all reports", async () => {
    await clock.advance(2000);
    return received.flat().length === 10_000;
  });
  assert.equal(received.flat()[0], "50");
});

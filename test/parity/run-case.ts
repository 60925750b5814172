import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "#/std/time/clock.ts";
import { until } from "#/testing/until.ts";
import type { Answer, Area, Case, Step } from "./case.ts";
import { countRecordedSeconds, countSeconds, normaliseAnswers } from "./normalise.ts";
import type { RecordedCase } from "./recordings.ts";
import type { RawAnswer, RawRequest, Target } from "./reference.ts";

/** Creates the fixtures of an area and waits for the paths it needs. */
export async function prepareArea(target: Target, area: Area): Promise<void> {
  for (const step of area.fixtures ?? []) {
    const answer = await target.send(toRequest(step, "default", []));
    if (answer.status >= 300) throw new Error(`fixture ${step.path}: ${answer.text}`);
  }
  for (const path of area.ready ?? []) await untilGood(target, { method: "GET", path });
  for (const step of area.awaited ?? []) await untilGood(target, step);
}

async function untilGood(target: Target, step: Step): Promise<void> {
  await until(`${step.path} succeeds`, async () => {
    const { status } = await target.send(toRequest(step, "default", []));
    return status < 300;
  });
}

/** The raw answers of a case, and the namespace it ran in. */
export interface Run {
  readonly namespace: string;
  readonly answers: readonly RawAnswer[];
}

const mostTries = 6;

/**
 * Runs a case in a namespace of its own. A case in which the clock's second changed more often than it waited is run
 * again in another, because the order of managedFields depends on it.
 */
export function runCase(target: Target, test: Case): Promise<Run> {
  const waits = test.steps.filter((step) => step.waitSeconds !== undefined).length;
  return runWithin(1 + waits, target, test);
}

/** Runs a case that was recorded; the clock's second should change no more often than it did then. */
export async function replayCase(
  target: Target,
  test: Case,
  { steps }: RecordedCase,
): Promise<Answer[]> {
  const seconds = countRecordedSeconds(steps.map(({ answer }) => answer));
  return normaliseAnswers(await runWithin(Math.max(1, seconds), target, test));
}

/** A case that took too long is run again, from the start of a second. */
async function runWithin(seconds: number, target: Target, test: Case): Promise<Run> {
  for (let tries = 1; ; tries++) {
    const namespace = `p-${randomBytes(4).toString("hex")}`;
    await makeNamespace(target, namespace);
    const answers: RawAnswer[] = [];
    if (tries > 1) await untilNextSecond();
    for (const step of test.steps) {
      // Times in answers are whole seconds of the server's own clock, which may be the real kube-apiserver's.
      if (step.waitSeconds) await sleep(step.waitSeconds * 1000);
      if (step.waitSeconds && tries > 1) await untilNextSecond();
      answers.push(await target.send(toRequest(step, namespace, answers)));
    }
    if (countSeconds(answers) <= seconds || tries === mostTries) return { namespace, answers };
    await removeMade(target, test, { namespace, answers });
  }
}

/** Deletes the objects, so that addresses and other unique values of the cluster are free again. */
async function removeMade(target: Target, { steps }: Case, { namespace, answers }: Run) {
  for (const [index, { method, path }] of steps.entries()) {
    const answer = answers[index];
    if (method !== "POST" || answer?.status !== 201) continue;
    const [, name] = /"name":"([^"]+)"/.exec(answer.text) ?? [];
    const made: Step = { method: "DELETE", path: `${path.split("?")[0]}/${name}` };
    if (name !== undefined) await target.send(toRequest(made, namespace, []));
  }
}

// As above: a case must begin early in a second.
const untilNextSecond = (): Promise<void> => sleep(1000 - (systemClock.now() % 1000));

/** Creates a namespace. */
export async function makeNamespace(target: Target, name: string): Promise<void> {
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  const step: Step = { method: "POST", path: "/api/v1/namespaces", body };
  const answer = await target.send(toRequest(step, name, []));
  if (answer.status !== 201) throw new Error(answer.text);
}

function toRequest(step: Step, namespace: string, answers: readonly RawAnswer[]): RawRequest {
  const made = typeof step.body === "function" ? step.body(answers.map(parsed)) : step.body;
  const text = typeof made === "string" || made === undefined ? made : JSON.stringify(made);
  const body = text?.replaceAll("{ns}", namespace);
  const headers = {
    accept: "application/json",
    "user-agent": "parity",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...named(step.headers, namespace),
  };
  const path = step.path.replaceAll("{ns}", namespace);
  const { as } = step;
  const bearer = typeof as === "function" ? as(answers.map(parsed) as never[]) : undefined;
  const credential = bearer ? { headers: { authorization: `Bearer ${bearer}` } } : undefined;
  return {
    method: step.method,
    path,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(typeof as === "string" ? { as } : {}),
    ...(credential ? { credential } : {}),
  };
}

/** Headers contain the namespace as paths and bodies do. */
const named = (headers: Step["headers"] = {}, namespace: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replaceAll("{ns}", namespace)]),
  );

const parsed = ({ text }: RawAnswer): unknown => JSON.parse(text);

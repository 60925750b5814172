import type { UserInfo } from "#/apiserver/model/exchange.ts";
import { systemClock } from "#/std/time/clock.ts";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import { admin, type TestApiServer } from "#/testing/start-api-server.ts";
import type { Answer, Area, Case } from "./case.ts";
import { inProcessTarget } from "./in-process-target.ts";
import { loadRecordings } from "./recordings.ts";
import type { RawRequest, Target } from "./reference.ts";
import { prepareArea, replayCase } from "./run-case.ts";

/** Header that advances our server's clock by a second before the request, instead of waiting. */
const passed = "x-second-passed";

/** Our server with the admission plugins of some flags, and with the objects of every cluster. */
export async function startAdmissionTarget(
  flags: readonly string[] = ["--disable-admission-plugins=ServiceAccount"],
): Promise<Target> {
  // The clock stands still unless a request waits, so that the second never changes within a case.
  let now = Date.UTC(2026, 10, 1);
  const server = await startAdmittingServer(flags, { clock: { ...systemClock, now: () => now } });
  await populate(server);
  const target = inProcessTarget(server, { userOf });
  return {
    ...target,
    send(request) {
      if (request.headers[passed]) now += 1000;
      return target.send(request);
    },
  };
}

async function populate(server: TestApiServer): Promise<void> {
  for (const name of ["default", "kube-system", "kube-public", "kube-node-lease"]) {
    await server.call("POST", "/api/v1/namespaces", { metadata: { name } });
  }
  await server.call("POST", "/apis/networking.k8s.io/v1/servicecidrs", {
    metadata: { name: "kubernetes" },
    spec: { cidrs: ["10.0.0.0/16"] },
  });
}

/** The user of a request: requests to the real server impersonate it. */
function userOf(headers: RawRequest["headers"]): UserInfo {
  const name = headers["impersonate-user"];
  if (name === undefined) return { ...admin, name: "parity", uid: "parity" };
  const group = headers["impersonate-group"];
  return { name, groups: [...(group ? [group] : []), "system:authenticated"] };
}

/** Our server's answers to a case, and the recorded ones. */
export interface Replayed {
  readonly name: string;
  readonly answered: readonly Answer[];
  readonly recorded: readonly Answer[];
}

/** Sends the requests of an area without the waits. */
export async function replayAdmission(target: Target, area: Area): Promise<Replayed[]> {
  await prepareArea(target, area);
  const replayed: Replayed[] = [];
  for (const [index, recording] of loadRecordings(area).entries()) {
    const { name, steps } = recording;
    const test = area.cases[index];
    if (!test) throw new Error(`${area.name} has no case ${name}`);
    const answered = await replayCase(target, withoutWaiting(test), recording);
    replayed.push({ name, answered, recorded: steps.map(({ answer }) => answer) });
  }
  return replayed;
}

function withoutWaiting(test: Case): Case {
  const steps = test.steps.map((step) =>
    step.waitSeconds === undefined
      ? step
      : { ...step, waitSeconds: 0, headers: { ...step.headers, [passed]: "true" } },
  );
  return { ...test, steps };
}

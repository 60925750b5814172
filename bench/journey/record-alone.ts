import { join } from "node:path";
import { callInProcess } from "#/apiserver/http/in-process.ts";
import { openJourneys } from "#/apiserver/journey/open-journeys.ts";
import { bytesReply, type Exchange, type Handler } from "#/apiserver/model/exchange.ts";
import { Commit } from "#/apiserver/model/trail.ts";
import { systemClock as clock } from "#/std/time/clock.ts";
import { startSecuredServer } from "#/testing/start-secured-server.ts";
import { median } from "./median.ts";

/** Requests of a slice, and slices of each kind, which take turns. */
const requests = 5000;
const slices = 30;
/** Time after each slice that counts as a part of it (ms): files are written after 250. */
const restMs = 300;
/** Size of a stored Pod (bytes). */
const podBytes = 11_000;
const user = { name: "system:serviceaccount:kube-system:replicaset-controller", groups: ["a"] };
const json = Buffer.alloc(podBytes, "x");
const owner = { uid: "6a3c2f10-0d7e-4a39-9d6f-1f2e3d4c5b6a", controller: true };
const resource = { group: "", version: "v1", name: "pods" };

/**
 * What recording adds to a create, without the rest of the create: precise where other programs share the machine, since
 * nothing else is done. What plugins changed is no part of it: that is noted for few requests.
 */
export async function recordAlone(folder: string): Promise<readonly string[]> {
  await using journeys = await openJourneys({ clock, directory: join(folder, "alone") });
  const { recorder } = journeys;
  await using server = await startSecuredServer({ marks: recorder });
  await journeys.serve(server.api.registry);
  let revision = 0;
  const create: Handler = async (exchange) => {
    pass(exchange, ++revision);
    return bytesReply(201, "application/json", json);
  };
  const on: Handler = (exchange) =>
    recorder.begin(exchange, (second) =>
      recorder.authenticated(second, (third) => recorder.authorized(third, create)),
    );
  const micros: Readonly<Record<"on" | "off", number[]>> = { on: [], off: [] };
  for (let slice = 0; slice < slices + 2; slice++) {
    const [spentOn, spentOff] = [await spent(on), await spent(create)];
    // The first ones are compiled as they run.
    if (slice < 2) continue;
    micros.on.push(spentOn);
    micros.off.push(spentOff);
  }
  const more = micros.on.map((value, index) => value - (micros.off[index] ?? 0));
  return [
    `alone: recording a create takes ${median(more).toFixed(2)} µs of processor time (median of ${slices} slices)`,
  ];
}

/** Processor time of a request (µs), of all threads. */
async function spent(handler: Handler): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < requests; index++) {
    await callInProcess(handler, {
      method: "POST",
      url: "/api/v1/namespaces/bench/pods",
      headers: { "content-type": "application/json", "user-agent": "bench/v1.0 (linux/amd64)" },
      user,
    });
  }
  await clock.sleep(restMs);
  const { user: own, system } = process.cpuUsage(before);
  return (own + system) / requests;
}

/** What the gates of a create note, if it is recorded. */
function pass(exchange: Exchange, revision: number): void {
  const { trail } = exchange;
  exchange.user = user;
  exchange.annotations.set("authorization.k8s.io/reason", "RBAC: allowed by ClusterRoleBinding");
  const name = `web-${revision % 100}-5d8f6b7c9-${revision}`;
  const uid = `6a3c2f10-0d7e-4a39-9d6f-${String(revision).padStart(12, "0")}`;
  const stored = { revision, name, sizeBytes: podBytes, json };
  if (!trail) return;
  trail.authenticator = "x509";
  trail.decodedMicros = trail.at(clock.monotonicMs());
  trail.mutatedMicros = trail.at(clock.monotonicMs());
  trail.checkedMicros = trail.at(clock.monotonicMs());
  trail.validatedMicros = trail.at(clock.monotonicMs());
  const metadata = { namespace: "bench", uid, ownerReferences: [owner] };
  const commit = new Commit(trail, { resource, metadata, verb: "create" }, clock.monotonicMs());
  commit.durable(clock.monotonicMs());
  commit.done(stored, clock.monotonicMs());
}

/**
 * Rotates all that three servers share, with the command killed at each point of each rotation and another server killed
 * meanwhile: `node test/servers/run-rotations.ts [--subject NAME]… [--keep]`. Exits with 1 if the servers differ afterwards.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { Machines } from "./machines.ts";
import { checkServers, killPoints, rotate, subjects } from "./rotation.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    name: text,
    keep: { type: "boolean", default: false },
    subject: { ...text, multiple: true, default: [] },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const name = values.name ?? `rot${process.pid.toString(36)}`;
const size = { servers: 3, agents: 1 };
const isThere = existsSync(`/var/lib/k8ts-${name}-a1`);
const machines = isThere ? Machines.attach(name, size) : await Machines.start(name, size);
await using cleaning = new AsyncDisposableStack();
if (!values.keep) cleaning.use(machines);
if (!isThere) say(`three servers ready in ${machines.serversMs} ms`);
const chosen = subjects.filter(
  (subject) => values.subject.length === 0 || values.subject.includes(subject),
);
for (const subject of chosen) {
  const calmMs = await rotate(machines, { subject, kills: [] });
  await checkServers(machines, `calm-${subject}-${process.pid}`);
  say(`${subject}: ${calmMs} ms`);
  const tookMs = await rotate(machines, {
    subject,
    kills: killPoints,
    killed: machines.servers[2],
  });
  await checkServers(machines, `killed-${subject}-${process.pid}`);
  say(`${subject}, killed at ${killPoints.length} points: ${tookMs} ms`);
}

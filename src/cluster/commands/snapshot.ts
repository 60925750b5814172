import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { FlagError, type FlagValues } from "#/std/flags/flags.ts";
import { formatDuration } from "#/std/go/duration.ts";
import { plainLine } from "#/std/text/plain-text.ts";
import { systemClock } from "#/std/time/clock.ts";
import { openArchive } from "../backup/archive.ts";
import { readSnapshotFile, writeSnapshotFile } from "../backup/folder-target.ts";
import { makeSnapshot } from "../backup/make-snapshot.ts";
import { isS3, openTarget, readPassphrase } from "../backup/open-target.ts";
import { prepareRestore, restoreOperation } from "../backup/restore.ts";
import { outdated, snapshotName } from "../backup/schedule.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { findOperation, runOperation } from "../base/operation.ts";
import { ownCommand } from "../base/own-command.ts";
import { type ClusterPaths, nameOption } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { type ClusterSettings, findSettings, getSettings, saveSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { ownCluster } from "../command-line/own-cluster.ts";
import { textTable } from "../command-line/text-table.ts";
import { restoredSettings } from "../plan/restored-settings.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { programs } from "../supervision/programs.ts";
import { supervisorOf } from "../supervision/supervisor.ts";
import { clustersHere } from "./list.ts";

const snapshotFlags = {
  ...clusterFlags,
  to: {
    type: "string",
    help: "The `place` of snapshots: a folder, or s3://BUCKET/PREFIX?region=REGION, with &endpoint=URL if it is not AWS; the cluster's own folder if not given.",
  },
  "passphrase-file": {
    type: "string",
    help: "A `file` with the passphrase in its first line: the snapshot is encrypted with it.",
  },
  "s3-credentials": {
    type: "string",
    help: "A `file` with the keys for S3, like ~/.aws/credentials; if not given, $AWS_ACCESS_KEY_ID and $AWS_SECRET_ACCESS_KEY.",
  },
  every: { type: "duration", default: 0, help: "For schedule: the time between two snapshots." },
  keep: { type: "int", default: 5, help: "For schedule: how many of its snapshots are kept." },
  off: { type: "bool", help: "For schedule: make no more snapshots; those that are there stay." },
  scheduled: { type: "bool", hidden: true, help: "For save: as the schedule does it." },
  replace: { type: "bool", help: "For restore: replace the cluster that is there." },
} as const;

type Flags = FlagValues<typeof snapshotFlags>;

interface Request {
  readonly paths: ClusterPaths;
  readonly flags: Flags;
  readonly name: string;
}

/** `k8ts snapshot save|ls|show|restore|rm|schedule`: copies of a whole cluster. */
export const main = command({
  name: "snapshot",
  description: `Makes copies of a whole cluster, with which it can be made again, here or on another machine: its
objects, certificates and keys, and settings. Volumes and images are not in it.

  save [FILE]     makes one; the cluster may run
  ls              lists those of a place
  show SNAPSHOT   checks one, and says what is in it
  restore SNAPSHOT  makes the cluster again as it was
  rm SNAPSHOT     removes one
  schedule        makes them regularly, or shows when they are made

A user with a snapshot has the whole cluster: encrypt it, or keep it where only you can read it.`,
  arguments: ["save|ls|show|restore|rm|schedule", "[SNAPSHOT]"],
  examples: [
    ["Save the cluster into its own folder", "snapshot save"],
    ["Save it into a file, encrypted", "snapshot save backup.tar.gz --passphrase-file=secret.txt"],
    ["Save it every six hours, and keep the last eight", "snapshot schedule --every=6h --keep=8"],
    ["Go back to a snapshot", "snapshot restore k8ts-2026-01-02T03-04-05Z.k8ts.tar.gz --replace"],
    ["Make another cluster of it", "snapshot restore backup.tar.gz --name copy"],
  ],
  whenInterrupted: () => "the cluster is as before, or the same command continues",
  flags: snapshotFlags,
  async run({ values, args: [verb = "", name = ""] }) {
    const request = { paths: pathsOf(values), flags: values, name };
    const run = verbs[verb];
    if (!run) throw new FlagError(`unknown subcommand "${verb}": ${Object.keys(verbs).join(", ")}`);
    process.stdout.write(await run(request));
    return 0;
  },
});

/** What each subcommand does; it returns what is printed. */
const verbs: Readonly<Record<string, (request: Request) => Promise<string>>> = {
  save,
  ls,
  show,
  restore,
  rm,
  schedule,
};

async function save({ paths, flags, name }: Request): Promise<string> {
  const settings = getSettings(paths);
  const now = systemClock.now();
  const target = await openTarget(paths, placeOf(flags, settings));
  const chosen = name === "" ? snapshotName(settings.name, now, flags.scheduled) : resolve(name);
  if (name !== "" && existsSync(chosen)) throw new CommandFailure(`${chosen} exists already`);
  const made = await makeSnapshot(paths, settings, {
    now,
    passphrase: await readPassphrase(passphraseFile(flags, settings)),
    write: (content) =>
      name === "" ? target.write(chosen, content) : writeSnapshotFile(chosen, content),
  });
  if (flags.scheduled && settings.snapshots) {
    for (const old of outdated(settings.snapshots, await target.list())) {
      await target.remove(old.name);
    }
  }
  const place = name === "" ? `${chosen} in ${target.place}` : chosen;
  return `saved ${place}\nrevision ${made.manifest.revision}, ${sizeText(made.sizeBytes)}\n`;
}

const passphraseFile = (flags: Flags, settings: ClusterSettings | undefined): string | undefined =>
  flags["passphrase-file"] || settings?.snapshots?.passphraseFile;

/** The place that the flags name, or that of the schedule. */
function placeOf(flags: Flags, settings: ClusterSettings | undefined) {
  const { to, s3Credentials } = settings?.snapshots ?? {};
  return { to: flags.to || to, s3Credentials: flags["s3-credentials"] || s3Credentials };
}

async function ls({ paths, flags, name }: Request): Promise<string> {
  if (name !== "") throw new FlagError(`unexpected argument "${name}"`);
  const target = await openTarget(paths, placeOf(flags, findSettings(paths)));
  const rows = (await target.list()).map((stored) => [
    stored.name,
    new Date(stored.createdMs).toISOString().slice(0, 19).replace("T", " "),
    sizeText(stored.sizeBytes),
    stored.isScheduled ? "schedule" : "user",
  ]);
  if (rows.length === 0) return `There is no snapshot in ${target.place}.\n`;
  return textTable([["NAME", "CREATED (UTC)", "SIZE", "BY"], ...rows]);
}

async function show(request: Request): Promise<string> {
  const archive = await openNamed(request);
  let files = 0;
  let storeBytes = 0;
  for await (const entry of archive.entries()) {
    if ("block" in entry) storeBytes += entry.block.length;
    else files++;
  }
  const { cluster, created, version, kubernetesVersion, revision } = archive.manifest;
  const facts = {
    cluster,
    created,
    version: `k8ts ${version} (Kubernetes ${kubernetesVersion})`,
    revision: String(revision),
    store: sizeText(storeBytes),
    files: String(files),
    encrypted: archive.isSealed ? "yes" : "no",
  };
  const lines = Object.entries(facts).map(
    ([fact, text]) => `${fact.padEnd(11)}${plainLine(text)}\n`,
  );
  return `${lines.join("")}It is whole.\n`;
}

async function restore(request: Request): Promise<string> {
  const { paths, flags } = request;
  await using _lock = await ownCluster(flags.name, "snapshot restore");
  const progress = new Progress();
  await finishEarlier(paths, progress);
  const present = findSettings(paths);
  if (present) await checkReplaceable(paths, present, flags);
  const pools = clustersHere()
    .filter(({ settings }) => settings.name !== flags.name)
    .map(({ settings }) => settings.lbPool);
  const archive = await openNamed(request);
  const place = { name: flags.name, present, pools };
  await prepareRestore(paths, archive, (saved) => restoredSettings(saved, place));
  await runOperation(paths, restoreOperation(), {}, progress);
  const { created, revision, cluster } = archive.manifest;
  const start = ownCommand("up", flags.name);
  return `The cluster is as "${plainLine(cluster)}" was at ${plainLine(created)}, revision ${revision}. Start it: ${start}\n`;
}

/** A restore that was interrupted has moved a part of the cluster already; any other operation is forgotten. */
async function finishEarlier(paths: ClusterPaths, progress: Progress): Promise<void> {
  const operation = restoreOperation();
  const found = await findOperation(paths);
  if (found?.name === operation.name) await runOperation(paths, operation, {}, progress);
}

/** A cluster that runs would overwrite what is restored; one that is there may be needed. */
async function checkReplaceable(
  paths: ClusterPaths,
  present: ClusterSettings,
  { replace }: Flags,
): Promise<void> {
  if (!replace) {
    const save = ownCommand("snapshot save", present.name);
    throw new CommandFailure(
      `there is a cluster in ${paths.folder}; give --replace to put the snapshot in its place (to keep it first: ${save})`,
    );
  }
  const supervisor = supervisorOf(paths, present.name);
  for (const { name } of programs(paths, present)) {
    const { pid } = await supervisor.state(name);
    if (pid === undefined) continue;
    throw new CommandFailure(
      `cluster "${present.name}" is running; stop it first: ${ownCommand("down", present.name)}`,
    );
  }
}

async function rm({ paths, flags, name }: Request): Promise<string> {
  const target = await openTarget(paths, placeOf(flags, findSettings(paths)));
  const stored = (await target.list()).map((one) => one.name);
  if (name === "") throw new FlagError("SNAPSHOT is missing");
  if (!stored.includes(name)) throw new CommandFailure(`there is no ${name} in ${target.place}`);
  await target.remove(name);
  return `removed ${name}\n`;
}

async function schedule({ paths, flags }: Request): Promise<string> {
  const settings = getSettings(paths);
  if (flags.off) return await saveSchedule(paths, settings, undefined);
  if (flags.every === 0) return scheduleText(settings);
  if (flags.every < minEveryMs || flags.keep < 1) {
    throw new FlagError("--every must be a minute or more, and --keep 1 or more");
  }
  // What can't be used is found now, and not by night.
  await readPassphrase(flags["passphrase-file"]);
  await (await openTarget(paths, placeOf(flags, undefined))).list();
  return await saveSchedule(paths, settings, {
    everyMs: flags.every,
    keep: flags.keep,
    to: isS3(flags.to) ? flags.to : absolute(flags.to),
    s3Credentials: absolute(flags["s3-credentials"]),
    passphraseFile: absolute(flags["passphrase-file"]),
  });
}

const minEveryMs = 60_000;

/** The server runs in another folder. */
const absolute = (path: string): string | undefined => (path === "" ? undefined : resolve(path));

async function saveSchedule(
  paths: ClusterPaths,
  { name }: ClusterSettings,
  snapshots: ClusterSettings["snapshots"],
): Promise<string> {
  await using _lock = await ownCluster(name, "snapshot schedule");
  const settings = { ...getSettings(paths), snapshots };
  await saveSettings(paths, settings);
  return scheduleText(settings);
}

function scheduleText({ snapshots, name }: ClusterSettings): string {
  if (!snapshots) {
    return `No snapshots are made by themselves. To change that: ${ownCommand(`snapshot schedule --every=6h${nameOption(name)}`)}\n`;
  }
  const { everyMs, keep, to, passphraseFile: file } = snapshots;
  const place = to ?? "the cluster's folder";
  const secret = file ? ` encrypted with the passphrase in ${file},` : "";
  return `A snapshot is made every ${formatDuration(everyMs)},${secret} into ${place}; the last ${keep} are kept.\n`;
}

/** Opens a snapshot by its name in the place of snapshots, or by its path. */
async function openNamed({ paths, flags, name }: Request) {
  if (name === "") throw new FlagError("SNAPSHOT is missing");
  const settings = findSettings(paths);
  const passphrase = await readPassphrase(passphraseFile(flags, settings));
  const isPath = isAbsolute(name) || (flags.to === "" && existsSync(name));
  if (isPath) return await openArchive(readSnapshotFile(resolve(name)), passphrase);
  const target = await openTarget(paths, placeOf(flags, settings));
  const stored = (await target.list()).map((one) => one.name);
  if (!stored.includes(name)) {
    throw new CommandFailure(
      `there is no snapshot ${name}, neither as a file nor in ${target.place}`,
    );
  }
  return await openArchive(target.read(name), passphrase);
}

/** A size as people read it. */
function sizeText(bytes: number): string {
  const [kib, mib] = [1024, 1024 ** 2];
  if (bytes < kib) return `${bytes} B`;
  return bytes < mib ? `${(bytes / kib).toFixed(1)} KiB` : `${(bytes / mib).toFixed(1)} MiB`;
}

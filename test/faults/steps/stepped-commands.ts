/** A command of several steps, and what goes before and after it each time. */
export interface SteppedCommand {
  readonly words: readonly string[];
  /** Commands that run before it, to the end. */
  readonly before?: readonly (readonly string[])[];
  /** Commands that run after it has ended, and what it has changed was checked. */
  readonly after?: readonly (readonly string[])[];
  /** Whether the cluster is stopped while it runs. */
  readonly isOffline?: boolean;
  /** Whether `up` brings the cluster to work, but only the same command ends what was begun. */
  readonly needsItself?: boolean;
}

/** The name of the snapshot that restores go back to. */
export const snapshotFile = "snapshot.tar.gz";

/** The folder of another version, to which upgrades go. */
export const otherVersion = "other";

const rotation = (subject: string): SteppedCommand => ({
  words: ["certificate", "rotate", subject],
});

/** In their order: the migrations go to and fro. FOLDER stands for a folder of the test. */
export const steppedCommands: readonly SteppedCommand[] = [
  { words: ["migrate", "--to-etcd", "--no-install"], after: [["migrate", "--finish"]] },
  { words: ["migrate", "--to-embedded"], after: [["migrate", "--finish"]] },
  ...["ca", "front-proxy-ca", "kubelet-ca", "service-account", "encryption"].map(rotation),
  {
    words: ["snapshot", "restore", `FOLDER/${snapshotFile}`, "--replace"],
    before: [["snapshot", "save", `FOLDER/${snapshotFile}`], ["down"]],
    isOffline: true,
  },
  {
    words: ["upgrade", `FOLDER/${otherVersion}`],
    after: [["upgrade", "--rollback"]],
    needsItself: true,
  },
  {
    words: ["upgrade", "--rollback"],
    before: [["upgrade", `FOLDER/${otherVersion}`]],
    needsItself: true,
  },
];

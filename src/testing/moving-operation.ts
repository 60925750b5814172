import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Operation, runOperation } from "#/cluster/base/operation.ts";
import { clusterPaths } from "#/cluster/base/paths.ts";

export const quiet = { step: (_title: string, work: () => Promise<void>) => work() };

interface State {
  readonly word: string;
  /** What the second step remembers. */
  readonly chosen?: string;
}

/** Moves a cluster's folder from the file "old" to "new"; each step leaves a file. The last step fails as long as "broken" exists. */
export const moving = (canUndo: boolean): Operation<State> => ({
  name: "move",
  resumes: "before start",
  steps({ folder }) {
    const at = (name: string) => join(folder, name);
    const touch = (name: string) => writeFileSync(at(name), "");
    const remove = (name: string) => rmSync(at(name), { force: true });
    const undoing = (work: () => void) => (canUndo ? { undo: async () => work() } : {});
    return [
      { name: "copy", run: async ({ word }) => touch(word), ...undoing(() => remove("new")) },
      {
        name: "choose",
        async run({ chosen = String(process.pid) }, remember) {
          await remember({ chosen });
          touch(`chosen-${chosen}`);
        },
        ...undoing(() => {
          for (const name of readdirSync(folder)) if (name.startsWith("chosen-")) remove(name);
        }),
      },
      {
        name: "remove",
        async run({ chosen }) {
          assert.ok(existsSync(at(`chosen-${chosen}`)));
          if (existsSync(at("broken"))) throw new Error("the disk is full");
          remove("old");
        },
        ...undoing(() => touch("old")),
      },
    ];
  },
});

/** Runs it in a folder, as a command does. */
export const begin = (folder: string, canUndo: boolean): Promise<void> =>
  runOperation(clusterPaths(folder), moving(canUndo), { word: "new" }, quiet);

/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/util/editor/editor.go. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import { randomDigits } from "../../base/random-digits.ts";
import type { Context } from "../../command/context.ts";

/** The editor's program and arguments, without the file. */
function editorCommand(env: Context["env"]): readonly string[] {
  const editor = env["KUBE_EDITOR"] || env["EDITOR"] || "vi";
  if (!editor.includes(" ")) return [editor];
  if (!/["'\\]/.test(editor)) return editor.split(" ");
  return [env["SHELL"] || "/bin/bash", "-c", editor];
}

/** Opens the user's editor on a text; returns the saved text, and its path. */
export async function editText(
  context: Context,
  text: string,
  extension: string,
): Promise<{ text: string; file: string }> {
  const folder = context.env["TMPDIR"] || tmpdir() || mkdtempSync("kubectl-");
  const file = join(folder, `kubectl-edit-${randomDigits()}${extension}`);
  writeFileSync(file, text, { mode: 0o600 });
  const [program = "vi", ...args] = editorCommand(context.env);
  const isShell = args[0] === "-c";
  const given = isShell ? ["-c", `${args[1]} ${goQuote(file)}`] : [...args, file];
  await launch(context, program, given);
  return { text: readFileSync(file, "utf8"), file };
}

function launch(context: Context, program: string, args: readonly string[]): Promise<void> {
  const env = { ...context.env } as NodeJS.ProcessEnv;
  const child = spawn(program, args, { stdio: "inherit", env, cwd: context.cwd });
  return new Promise((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === "ENOENT"
          ? `unable to launch the editor ${goQuote(program)}`
          : `there was a problem with the editor ${goQuote([program, ...args].join(" "))}`;
      reject(new CommandError(reason, { cause: error }));
    });
    child.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new CommandError(`there was a problem with the editor ${goQuote(program)}`));
    });
  });
}

/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/completion/completion.go. */
import { goQuote } from "#/std/go/go-quote.ts";
import { usageError } from "../base/errors.ts";
import { command } from "../command/command.ts";

/** The completion scripts, by shell. */
const scripts: Readonly<Record<string, () => Promise<string>>> = {
  bash: async () => (await import("../completion-scripts/bash.ts")).bashScript,
  zsh: async () => (await import("../completion-scripts/zsh.ts")).zshScript,
  fish: async () => (await import("../completion-scripts/fish.ts")).fishScript,
  powershell: async () => (await import("../completion-scripts/powershell.ts")).powershellScript,
};

/** `kubectl completion`. */
export const completion = command({
  usage: "completion SHELL",
  flags: {},
  completes: { of: "first word", words: ["bash", "fish", "powershell", "zsh"] },
  async run({ args }, context) {
    const [shell] = args;
    if (shell === undefined) throw usageError(context, "Shell not specified.");
    if (args.length > 1) {
      throw usageError(context, "Too many arguments. Expected only the shell type.");
    }
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (!script) throw usageError(context, `Unsupported shell type ${goQuote(shell)}.`);
    context.out.write(await script());
  },
});

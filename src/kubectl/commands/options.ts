/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/options/options.go. */
import { command } from "../command/command.ts";
import { defaultCacheDir, globalFlags } from "../command/global-flags.ts";
import { flagsText, lineLimitOf } from "../help/help.ts";

/** `kubectl options`. */
export const options = command({
  usage: "options",
  flags: {},
  run(_, context) {
    const cacheDir = { ...globalFlags["cache-dir"], default: defaultCacheDir(context.env) };
    const text = flagsText({ ...globalFlags, "cache-dir": cacheDir }, lineLimitOf(context.out));
    context.out.write(`The following options can be passed to any command:\n\n${text}`);
  },
});

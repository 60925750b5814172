/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/cmd.go (NewCmdAlpha). */
import { command } from "../command/command.ts";

/** `kubectl alpha`: this version has no such commands. */
export const alpha = command({
  usage: "alpha",
  flags: {},
  run: (_, context) =>
    context.err.write("No alpha commands are available in this version of kubectl\n"),
});

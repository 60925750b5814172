import { accessFlags } from "./access-flags.ts";
import { logFlagsOf, type Part } from "./part.ts";

export const scheduler: Part = {
  name: "kube-scheduler",
  summary: "the scheduler",
  load: () => import("#/scheduler/run.ts"),
  canBeDisabled: false,
  server: {
    flags: ({ paths, settings }) => ({
      ...accessFlags(paths, "scheduler"),
      ...logFlagsOf(settings),
    }),
    async run(args, signal, { connected }) {
      const connect = await connected(signal);
      const { start } = await import("#/scheduler/run.ts");
      await start(args, signal, { connect });
    },
  },
};

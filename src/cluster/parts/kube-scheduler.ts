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
      // Requests within the process need no limit; 50 per second would be the limit of scheduled Pods.
      "kube-api-qps": -1,
      ...logFlagsOf(settings),
    }),
    async run(args, signal, { connected }) {
      const connect = await connected(signal);
      const { start } = await import("#/scheduler/run.ts");
      await start(args, signal, { connect });
    },
  },
};

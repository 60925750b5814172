import { accessFile } from "../base/paths.ts";
import { accessFlags, leaderElection, leaderFlags } from "./access-flags.ts";
import { mergeObjects } from "./merge-objects.ts";
import { logFlagsOf, type Part } from "./part.ts";

/** Requests within the process need no limit; 50 per second would be the limit of scheduled Pods. */
const noLimit = -1;

export const scheduler: Part = {
  name: "kube-scheduler",
  summary: "the scheduler",
  load: () => import("#/scheduler/run.ts"),
  canBeDisabled: false,
  server: {
    documents: [
      {
        apiGroup: "kubescheduler.config.k8s.io",
        kind: "KubeSchedulerConfiguration",
        file: "kube-scheduler.json",
        flag: "config",
        complete: (document, { paths, settings }) =>
          mergeObjects(
            { clientConnection: { qps: noLimit }, leaderElection: leaderElection(settings) },
            mergeObjects(document, {
              clientConnection: { kubeconfig: accessFile(paths, "scheduler") },
            }),
          ),
      },
    ],
    flags: ({ paths, settings }) => ({
      ...accessFlags(paths, "scheduler"),
      ...leaderFlags(settings),
      "kube-api-qps": noLimit,
      profiling: false,
      ...logFlagsOf(settings),
    }),
    async run(args, signal, { connected }) {
      const connect = await connected(signal);
      const { start } = await import("#/scheduler/run.ts");
      await start(args, signal, { connect });
    },
  },
};

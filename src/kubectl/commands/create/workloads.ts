/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/create/create_{deployment,job,cronjob}.go. */
import type { CronJob } from "#/api/batch/v1.ts";
import { randomSuffix } from "#/machinery/meta/generate-name.ts";
import { CommandError } from "../../base/errors.ts";
import { kindOf, type Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import { goTypeOf } from "../../pods/pods-of-object.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { generator } from "./generator.ts";

const commandOf = (words: readonly string[]): { command?: string[] } =>
  words.length > 0 ? { command: [...words] } : {};

/** `kubectl create deployment`. */
export const createDeployment = generator({
  usage: "deployment NAME --image=image -- [COMMAND] [args...]",
  aliases: ["deploy"],
  flags: {
    image: {
      type: "stringSlice",
      help: "Image to run. May be repeated: each image gets a container in every Pod",
    },
    port: { type: "int32", default: -1, help: "Port that the container listens on" },
    replicas: { type: "int32", default: 1, shorthand: "r", help: "Number of Pods" },
  },
  requiredFlags: ["image"],
  failure: "failed to create deployment:",
  build: ({ name, flags, words, metadata }) => {
    if (flags.image.length > 1 && words.length > 0) {
      throw new CommandError("cannot specify multiple --image options and command");
    }
    const labels = { app: name };
    const ports = flags.port >= 0 ? { ports: [{ containerPort: flags.port }] } : {};
    const containers = flags.image.map((image, i) => ({
      name: containerName(image),
      image,
      ...commandOf(words),
      ...(i === 0 ? ports : {}),
    }));
    return {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { ...metadata, labels },
      spec: {
        replicas: flags.replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    };
  },
});

/** The name of a container, from its image; characters that names can't have are replaced by a unique suffix. */
function containerName(image: string): string {
  const base = (image.split("/").at(-1) ?? "").split(":")[0]?.split("@")[0] ?? "";
  return /[_.]/.test(base) ? `${base.replaceAll(/[_.]/g, "-")}-${randomSuffix(5)}` : base;
}

/** `kubectl create job`. */
export const createJob = generator({
  usage: "job NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...]",
  flags: {
    image: { type: "string", help: "Image to run" },
    from: {
      type: "string",
      help: "Object whose template is used, as cronjob/NAME. Only CronJobs are supported",
    },
  },
  failure: "failed to create job:",
  build: async ({ name, flags, words, metadata, context }) => {
    if ((flags.image === "") === (flags.from === "")) {
      throw new CommandError("either --image or --from must be specified");
    }
    if (words.length > 0 && flags.from !== "") {
      throw new CommandError("cannot specify --from and command");
    }
    const job = { apiVersion: "batch/v1", kind: "Job" };
    if (flags.from !== "") return { ...job, ...(await fromCronJob(context, flags.from, metadata)) };
    const containers = [{ name, image: flags.image, ...commandOf(words) }];
    const spec = { template: { spec: { containers, restartPolicy: "Never" } } };
    return { ...job, metadata: { ...metadata }, spec };
  },
});

async function fromCronJob(
  context: Context,
  from: string,
  metadata: { readonly name: string },
): Promise<Unstructured> {
  const { namespace } = await context.cluster.namespace();
  const builder = new ResourceBuilder(context, {
    namespace,
    args: [from],
    flatten: true,
    latest: true,
  });
  const infos = await builder.infos();
  const object = infos[0]?.object;
  if (infos.length !== 1 || object === undefined) {
    throw new CommandError("from must be an existing cronjob");
  }
  const { group, version, kind } = kindOf(object);
  if (kind !== "CronJob")
    throw new CommandError(`unknown object type ${goTypeOf(group, version, kind)}`);
  const { jobTemplate } = (object as unknown as CronJob).spec ?? {};
  const { labels, annotations } = jobTemplate?.metadata ?? {};
  const owner = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    name: object.metadata?.name ?? "",
    uid: object.metadata?.uid ?? "",
    controller: true,
  };
  return {
    metadata: {
      ...metadata,
      annotations: { "cronjob.kubernetes.io/instantiate": "manual", ...annotations },
      ...(labels ? { labels } : {}),
      ownerReferences: [owner],
    },
    spec: jobTemplate?.spec,
  };
}

/** `kubectl create cronjob`. */
export const createCronJob = generator({
  usage: "cronjob NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...]",
  aliases: ["cj"],
  flags: {
    image: { type: "string", help: "Image to run" },
    schedule: { type: "string", help: "Schedule on which to run the Job, in cron's format" },
    restart: { type: "string", help: "Restart policy of the Pods of the Job: OnFailure or Never" },
  },
  requiredFlags: ["image", "schedule"],
  showsFlagsInUsage: true,
  failure: "failed to create cronjob:",
  build: ({ name, flags, words, metadata }) => {
    const containers = [{ name, image: flags.image, ...commandOf(words) }];
    const restartPolicy = flags.restart || "OnFailure";
    return {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { ...metadata },
      spec: {
        schedule: flags.schedule,
        jobTemplate: {
          metadata: { name },
          spec: { template: { spec: { containers, restartPolicy } } },
        },
      },
    };
  },
});

/** Upstream: sigs.k8s.io/kustomize/api/internal/kusterr. */
import { messageOf } from "../../base/errors.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";
import type { Loader } from "../files/loader.ts";
import { readResources } from "../resource/read-resources.ts";
import type { Resource } from "../resource/resource.ts";

/** The objects in a file; errors in its text are reported with its name. */
export function readFileResources(loader: Loader, path: string): Resource[] {
  const bytes = loader.load(path);
  try {
    return readResources(bytes);
  } catch (error) {
    const message = messageOf(error);
    if (!message.includes("MalformedYAMLError")) throw error;
    throw new KustomizeError(`${message} in File: ${path}`, { cause: error });
  }
}

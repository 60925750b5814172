/** Upstream: pkg/kubelet/images/image_gc_manager.go. */

/** Names of the sandbox's image in the configuration that containerd's CRI plugin shows: none if it shows something else. */
export function sandboxImages(config: string | undefined): readonly string[] {
  try {
    const { sandboxImage } = JSON.parse(config ?? "{}");
    return typeof sandboxImage === "string" && sandboxImage !== "" ? [sandboxImage] : [];
  } catch {
    return []; // Another runtime's form.
  }
}

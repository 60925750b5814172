/** Upstream: pkg/kubelet/images/image_gc_manager.go. */

/** Names of the sandbox image in the configuration of containerd's CRI plugin; none if it has another form. */
export function sandboxImages(config: string | undefined): readonly string[] {
  try {
    const { sandboxImage } = JSON.parse(config ?? "{}");
    return typeof sandboxImage === "string" && sandboxImage !== "" ? [sandboxImage] : [];
  } catch {
    return []; // Another runtime's format.
  }
}

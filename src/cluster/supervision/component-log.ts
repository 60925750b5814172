/** The beginning of an entry; what follows on lines of its own belongs to it. */
const beginning = /^([IWEF]\d{4} |\{|supervise: )/;

/** Decides, for the lines of a log in order, which are a component's. */
export function componentFilter(component: string): (line: string) => boolean {
  const value = JSON.stringify(component);
  const asText = new RegExp(`^[^\\]]+\\] "(?:[^"\\\\]|\\\\.)*" component=${value}`);
  const asJson = new RegExp(`^\\{"ts":[0-9.]+,"component":${value}`);
  let isShown = false;
  return (line) => {
    if (beginning.test(line)) {
      isShown = (line.startsWith("{") ? asJson : asText).test(line);
    }
    return isShown;
  };
}

"use strict";
// The bytes of the store at the end of the log, as bars.

class Sizes {
  constructor(source) {
    this.source = source;
    byID("sizes-by").addEventListener("change", () => this.show());
  }

  async open() {
    byID("sizes").showModal();
    try {
      this.sizes = await this.source.sizes();
      this.show();
    } catch (error) {
      byID("sizes").close();
      report(error);
    }
  }

  show() {
    if (!this.sizes) return;
    const by = byID("sizes-by").value;
    const rows = this.sizes[by];
    const sum = (row) => row.bytes + row.fileBytes;
    const greatest = Math.max(1, ...rows.map(sum));
    byID("sizes-bars").replaceChildren(...rows.flatMap((row) => {
      const bar = element("div", "bar-of-bytes");
      bar.append(...[["records", row.bytes], ["files", row.fileBytes]].map(([kind, bytes]) => {
        const part = element("span", kind);
        part.style.width = `${(100 * bytes) / greatest}%`;
        part.title = `${kind}: ${size(bytes)}`;
        return part;
      }));
      return [word(row.name), bar, element("span", "quiet", size(sum(row)))];
    }));
    const all = this.sizes.overheads.reduce((all, { bytes }) => all + bytes, 0);
    byID("sizes-text").textContent = `${size(this.sizes.storeBytes)} in the store's files, of which ${size(all)} belong to no single record`;
  }
}

/** A number of bytes in decimal units. */
function size(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${power ? (bytes / 1000 ** power).toFixed(1) : bytes} ${units[power]}`;
}

/** Which folders of a tar are sessions', judged by where all of its entries lie. */
export class TarLayout {
  private readonly dirs = new Set<string>()
  private root: string | null = null
  private above: Set<string> | null = null

  /** A folder, `a/b` or '' for the top, that holds a file named like an entry. */
  add(dir: string): void {
    if (this.dirs.has(dir)) return
    this.dirs.add(dir)
    this.root = this.root === null ? dir : commonPath(this.root, dir)
    this.above = null
  }

  /** Why a folder is not a session's; null where it is one. */
  whyNoSession(dir: string): string | null {
    const folder = dir.split('/').at(-1)
    const isRoot = this.dirs.size > 1 && dir === this.root
    if (folder === '' || folder === '..' || isRoot) return 'lies in no session’s folder'
    // The folder that all lie in is the record; below any other that holds entries, there are no sessions.
    if (pathsAbove(dir).some(one => this.dirs.has(one) && one !== this.root))
      return 'lies below a session’s folder, not in it'
    return !this.dirs.has(dir) && this.foldersAbove().has(dir) ? 'lies in no session’s folder' : null
  }

  private foldersAbove(): Set<string> {
    this.above ??= new Set([...this.dirs].flatMap(pathsAbove))
    return this.above
  }
}

function pathsAbove(dir: string): string[] {
  if (dir === '') return []
  const parts = dir.split('/')
  return parts.map((_, length) => parts.slice(0, length).join('/'))
}

function commonPath(a: string, b: string): string {
  const [left, right] = [a.split('/'), b.split('/')]
  const differs = left.findIndex((part, index) => part !== right[index])
  return differs === -1 ? a : left.slice(0, differs).join('/')
}

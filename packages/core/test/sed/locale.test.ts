import { expect, test } from "vitest"
import { type LocaleVariables, sedLocaleOf } from "../../src/sed/locale.ts"

function check(variables: LocaleVariables, expected: ReturnType<typeof sedLocaleOf>): void {
  test(JSON.stringify(variables), () => expect(sedLocaleOf(variables)).toBe(expected))
}

check({}, "c")
check({ LC_ALL: "", LANG: "" }, "c")
check({ LC_ALL: "POSIX", LANG: "en_US.UTF-8" }, "c")
check({ LANG: "C.UTF-8" }, "utf-8")
check({ LC_ALL: "C.utf8" }, "utf-8")
check({ LANG: "en_US.UTF-8" }, "utf-8-language")
check({ LANG: "de_DE.utf8@euro" }, "utf-8-language")
check({ LANG: "en_US.UTF-8", LC_COLLATE: "C" }, undefined)
check({ LANG: "C.UTF-8", LC_COLLATE: "en_US.UTF-8" }, "utf-8-language")
check({ LANG: "en_US.ISO-8859-1" }, undefined)
check({ LANG: "ja_JP.eucJP" }, undefined)
check({ LANG: "en_US" }, undefined)

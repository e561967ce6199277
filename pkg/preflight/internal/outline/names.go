// SPDX-License-Identifier: Apache-2.0

package outline

import (
	"strconv"
	"strings"
	"sync"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"golang.org/x/text/encoding/charmap"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
)

// simpleNames is the encoding of a simple font: the names of glyphs by code (9.6.5).
type simpleNames struct {
	// base is WinAnsiEncoding, MacRomanEncoding, StandardEncoding, or "" for the
	// encoding of the font program.
	base        string
	differences map[int]string
	// given is set when the font has an Encoding.
	given bool
}

// maxDifferences bounds the entries of Differences.
const maxDifferences = 1024

func readNames(file *document.File, font types.Dict) simpleNames {
	var n simpleNames
	o, ok := font["Encoding"]
	if !ok {
		return n
	}
	if name := file.Name(o); name != "" {
		n.base = knownEncoding(name)
		n.given = n.base != ""
		return n
	}
	dict := file.Dict(o)
	n.given, n.base, n.differences = true, knownEncoding(file.Name(dict["BaseEncoding"])), differences(file, dict)
	return n
}

// Names returns the names of the glyphs of a simple font by code, "" where its program decides. Fonts of
// type 3 must name each glyph in their differences, but those of some programs have a base encoding.
func Names(file *document.File, font types.Dict) func(code int) string {
	return readNames(file, font).of
}

// knownEncoding returns the name of an encoding whose names are known, or "" for another one: the
// encoding of the program is then used.
func knownEncoding(name string) string {
	switch name {
	case "WinAnsiEncoding", "MacRomanEncoding", "StandardEncoding":
		return name
	}
	return ""
}

// differences returns the names of glyphs by code, 0 to 255, that an encoding dictionary
// changes (table 112).
func differences(file *document.File, encoding types.Dict) map[int]string {
	names := map[int]string{}
	code := 0
	list := file.Array(encoding["Differences"])
	for _, o := range list[:min(len(list), maxDifferences)] {
		if v, ok := file.Number(o); ok {
			code = int(min(max(v, 0), 256))
			continue
		}
		if code < 256 {
			names[code] = file.Name(o)
		}
		code++
	}
	return names
}

// of returns the name of a code's glyph, or "" where the program decides.
func (n simpleNames) of(code int) string {
	if name, ok := n.differences[code]; ok {
		return name
	}
	if code < 0 || code > 255 {
		return ""
	}
	switch n.base {
	case "WinAnsiEncoding":
		if code == 0xa0 {
			return "space"
		}
		return nameOf(charmap.Windows1252.DecodeByte(byte(code)))
	case "MacRomanEncoding":
		return nameOf(charmap.Macintosh.DecodeByte(byte(code)))
	case "StandardEncoding":
		return standard()[code]
	}
	return ""
}

// orStandard returns the name of a code's glyph, by the standard encoding where no
// other one is given.
func (n simpleNames) orStandard(code int) string {
	if name := n.of(code); name != "" || n.base != "" {
		return name
	}
	return standard()[code&0xff]
}

// character returns the character of a code, or 0.
func (n simpleNames) character(code int) rune { return runeOf(n.orStandard(code)) }

// runeOf returns the character of a glyph's name, or 0.
func runeOf(name string) rune {
	name, _, _ = strings.Cut(name, ".")
	if r, ok := characters()[name]; ok {
		return r
	}
	if len([]rune(name)) == 1 {
		return []rune(name)[0]
	}
	for _, prefix := range [...]string{"uni", "u"} {
		if digits, ok := strings.CutPrefix(name, prefix); ok && len(digits) >= 4 && len(digits) <= 6 {
			if v, err := strconv.ParseUint(digits, 16, 32); err == nil {
				return rune(v) // #nosec G115 -- at most six digits
			}
		}
	}
	return 0
}

// nameOf returns the name of a character's glyph, or "".
func nameOf(r rune) string { return glyphNames()[r] }

// characters maps the names of the Adobe Glyph List that the Latin encodings and common
// fonts use to characters.
var characters = sync.OnceValue(func() map[string]rune {
	out := map[string]rune{}
	for entry := range strings.FieldsSeq(glyphList) {
		name, digits, _ := strings.Cut(entry, "=")
		if v, err := strconv.ParseUint(digits, 16, 32); err == nil {
			out[name] = rune(v) // #nosec G115 -- four digits
		}
	}
	return out
})

var glyphNames = sync.OnceValue(func() map[rune]string {
	out := map[rune]string{}
	for entry := range strings.FieldsSeq(glyphList) {
		name, _, _ := strings.Cut(entry, "=")
		if r := characters()[name]; out[r] == "" {
			out[r] = name
		}
	}
	for r := 'A'; r <= 'Z'; r++ {
		out[r], out[r+32] = string(r), string(r+32)
	}
	return out
})

// standard returns the standard encoding (annex D.2).
var standard = sync.OnceValue(func() [256]string {
	var out [256]string
	for r := rune(32); r < 127; r++ {
		out[r] = nameOf(r)
	}
	out['\''], out['`'] = "quoteright", "quoteleft"
	for entry := range strings.FieldsSeq(`161=exclamdown 162=cent 163=sterling 164=fraction 165=yen 166=florin 167=section
		168=currency 169=quotesingle 170=quotedblleft 171=guillemotleft 172=guilsinglleft 173=guilsinglright 174=fi 175=fl
		177=endash 178=dagger 179=daggerdbl 180=periodcentered 182=paragraph 183=bullet 184=quotesinglbase
		185=quotedblbase 186=quotedblright 187=guillemotright 188=ellipsis 189=perthousand 191=questiondown 193=grave
		194=acute 195=circumflex 196=tilde 197=macron 198=breve 199=dotaccent 200=dieresis 202=ring 203=cedilla
		205=hungarumlaut 206=ogonek 207=caron 208=emdash 225=AE 227=ordfeminine 232=Lslash 233=Oslash 234=OE
		235=ordmasculine 241=ae 245=dotlessi 248=lslash 249=oslash 250=oe 251=germandbls`) {
		code, name, _ := strings.Cut(entry, "=")
		if v, err := strconv.Atoi(code); err == nil {
			out[v] = name
		}
	}
	return out
})

// glyphList holds names and characters of the Adobe Glyph List. Of several names of a
// character, the first is the usual one.
const glyphList = `space=0020 exclam=0021 quotedbl=0022 numbersign=0023 dollar=0024 percent=0025 ampersand=0026
quotesingle=0027 parenleft=0028 parenright=0029 asterisk=002A plus=002B comma=002C hyphen=002D period=002E slash=002F
zero=0030 one=0031 two=0032 three=0033 four=0034 five=0035 six=0036 seven=0037 eight=0038 nine=0039 colon=003A
semicolon=003B less=003C equal=003D greater=003E question=003F at=0040 bracketleft=005B backslash=005C bracketright=005D
asciicircum=005E underscore=005F grave=0060 braceleft=007B bar=007C braceright=007D asciitilde=007E exclamdown=00A1
cent=00A2 sterling=00A3 currency=00A4 yen=00A5 brokenbar=00A6 section=00A7 dieresis=00A8 copyright=00A9 ordfeminine=00AA
guillemotleft=00AB logicalnot=00AC sfthyphen=00AD registered=00AE macron=00AF degree=00B0 plusminus=00B1
twosuperior=00B2 threesuperior=00B3 acute=00B4 mu=00B5 paragraph=00B6 periodcentered=00B7 cedilla=00B8 onesuperior=00B9
ordmasculine=00BA guillemotright=00BB onequarter=00BC onehalf=00BD threequarters=00BE questiondown=00BF Agrave=00C0
Aacute=00C1 Acircumflex=00C2 Atilde=00C3 Adieresis=00C4 Aring=00C5 AE=00C6 Ccedilla=00C7 Egrave=00C8 Eacute=00C9
Ecircumflex=00CA Edieresis=00CB Igrave=00CC Iacute=00CD Icircumflex=00CE Idieresis=00CF Eth=00D0 Ntilde=00D1 Ograve=00D2
Oacute=00D3 Ocircumflex=00D4 Otilde=00D5 Odieresis=00D6 multiply=00D7 Oslash=00D8 Ugrave=00D9 Uacute=00DA
Ucircumflex=00DB Udieresis=00DC Yacute=00DD Thorn=00DE germandbls=00DF agrave=00E0 aacute=00E1 acircumflex=00E2
atilde=00E3 adieresis=00E4 aring=00E5 ae=00E6 ccedilla=00E7 egrave=00E8 eacute=00E9 ecircumflex=00EA edieresis=00EB
igrave=00EC iacute=00ED icircumflex=00EE idieresis=00EF eth=00F0 ntilde=00F1 ograve=00F2 oacute=00F3 ocircumflex=00F4
otilde=00F5 odieresis=00F6 divide=00F7 oslash=00F8 ugrave=00F9 uacute=00FA ucircumflex=00FB udieresis=00FC yacute=00FD
thorn=00FE ydieresis=00FF Amacron=0100 amacron=0101 Abreve=0102 abreve=0103 Aogonek=0104 aogonek=0105 Cacute=0106
cacute=0107 Ccaron=010C ccaron=010D Dcaron=010E dcaron=010F Dcroat=0110 dcroat=0111 Emacron=0112 emacron=0113
Edotaccent=0116 edotaccent=0117 Eogonek=0118 eogonek=0119 Ecaron=011A ecaron=011B Gbreve=011E gbreve=011F
Gcommaaccent=0122 gcommaaccent=0123 Imacron=012A imacron=012B Iogonek=012E iogonek=012F Idotaccent=0130 dotlessi=0131
Kcommaaccent=0136 kcommaaccent=0137 Lacute=0139 lacute=013A Lcommaaccent=013B lcommaaccent=013C Lcaron=013D lcaron=013E
Lslash=0141 lslash=0142 Nacute=0143 nacute=0144 Ncommaaccent=0145 ncommaaccent=0146 Ncaron=0147 ncaron=0148 Omacron=014C
omacron=014D Ohungarumlaut=0150 ohungarumlaut=0151 OE=0152 oe=0153 Racute=0154 racute=0155 Rcommaaccent=0156
rcommaaccent=0157 Rcaron=0158 rcaron=0159 Sacute=015A sacute=015B Scedilla=015E scedilla=015F Scaron=0160 scaron=0161
Tcommaaccent=0162 tcommaaccent=0163 Tcaron=0164 tcaron=0165 Umacron=016A umacron=016B Uring=016E uring=016F
Uhungarumlaut=0170 uhungarumlaut=0171 Uogonek=0172 uogonek=0173 Ydieresis=0178 Zacute=0179 zacute=017A Zdotaccent=017B
zdotaccent=017C Zcaron=017D zcaron=017E florin=0192 Scommaaccent=0218 scommaaccent=0219 circumflex=02C6 caron=02C7
breve=02D8 dotaccent=02D9 ring=02DA ogonek=02DB tilde=02DC hungarumlaut=02DD Alpha=0391 Beta=0392 Gamma=0393 Delta=2206
Epsilon=0395 Zeta=0396 Eta=0397 Theta=0398 Iota=0399 Kappa=039A Lambda=039B Mu=039C Nu=039D Xi=039E Omicron=039F Pi=03A0
Rho=03A1 Sigma=03A3 Tau=03A4 Upsilon=03A5 Phi=03A6 Chi=03A7 Psi=03A8 Omega=2126 alpha=03B1 beta=03B2 gamma=03B3
delta=03B4 epsilon=03B5 zeta=03B6 eta=03B7 theta=03B8 iota=03B9 kappa=03BA lambda=03BB nu=03BD xi=03BE omicron=03BF
pi=03C0 rho=03C1 sigma1=03C2 sigma=03C3 tau=03C4 upsilon=03C5 phi=03C6 chi=03C7 psi=03C8 omega=03C9 theta1=03D1
Upsilon1=03D2 phi1=03D5 omega1=03D6 endash=2013 emdash=2014 quoteleft=2018 quoteright=2019 quotesinglbase=201A
quotedblleft=201C quotedblright=201D quotedblbase=201E dagger=2020 daggerdbl=2021 bullet=2022 ellipsis=2026
perthousand=2030 minute=2032 second=2033 guilsinglleft=2039 guilsinglright=203A fraction=2044 Euro=20AC trademark=2122
arrowleft=2190 arrowup=2191 arrowright=2192 arrowdown=2193 arrowboth=2194 partialdiff=2202 product=220F summation=2211
minus=2212 radical=221A infinity=221E integral=222B approxequal=2248 notequal=2260 lessequal=2264 greaterequal=2265
lozenge=25CA apple=F8FF ff=FB00 fi=FB01 fl=FB02 ffi=FB03 ffl=FB04 nbspace=00A0 middot=00B7 overscore=00AF Dslash=0110
mu1=00B5 increment=2206 Ohm=2126 universal=2200 existential=2203 element=2208 suchthat=220B asteriskmath=2217
proportional=221D angle=2220 logicaland=2227 logicalor=2228 intersection=2229 union=222A therefore=2234 similar=223C
congruent=2245 equivalence=2261 propersubset=2282 propersuperset=2283 circleplus=2295 circlemultiply=2297
perpendicular=22A5 emptyset=2205 gradient=2207 aleph=2135 weierstrass=2118 Ifraktur=2111 Rfraktur=211C spade=2660
club=2663 heart=2665 diamond=2666 copyrightserif=00A9 registerserif=00AE trademarkserif=2122`

// macintoshGlyphs returns the names of the standard glyphs of a post table (Apple TrueType Reference Manual).
var macintoshGlyphs = sync.OnceValue(func() []string { return strings.Fields(macintoshGlyphList) })

const macintoshGlyphList = `.notdef .null nonmarkingreturn space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft
parenright asterisk plus comma hyphen period slash zero one two three four five six seven eight nine colon semicolon
less equal greater question at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z bracketleft backslash bracketright
asciicircum underscore grave a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde
Adieresis Aring Ccedilla Eacute Ntilde Odieresis Udieresis aacute agrave acircumflex adieresis atilde aring ccedilla
eacute egrave ecircumflex edieresis iacute igrave icircumflex idieresis ntilde oacute ograve ocircumflex odieresis
otilde uacute ugrave ucircumflex udieresis dagger degree cent sterling section bullet paragraph germandbls registered
copyright trademark acute dieresis notequal AE Oslash infinity plusminus lessequal greaterequal yen mu partialdiff
summation product pi integral ordfeminine ordmasculine Omega ae oslash questiondown exclamdown logicalnot radical
florin approxequal Delta guillemotleft guillemotright ellipsis nonbreakingspace Agrave Atilde Otilde OE oe endash
emdash quotedblleft quotedblright quoteleft quoteright divide lozenge ydieresis Ydieresis fraction currency
guilsinglleft guilsinglright fi fl daggerdbl periodcentered quotesinglbase quotedblbase perthousand Acircumflex
Ecircumflex Aacute Edieresis Egrave Iacute Icircumflex Idieresis Igrave Oacute Ocircumflex apple Ograve Uacute
Ucircumflex Ugrave dotlessi circumflex tilde macron breve dotaccent ring cedilla hungarumlaut ogonek caron Lslash
lslash Scaron scaron Zcaron zcaron brokenbar Eth eth Yacute yacute Thorn thorn minus multiply onesuperior twosuperior
threesuperior onehalf onequarter threequarters franc Gbreve gbreve Idotaccent Scedilla scedilla Cacute cacute Ccaron
ccaron dcroat`

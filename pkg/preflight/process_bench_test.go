// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// job is a document of a kind that print shops receive.
type job struct {
	name  string
	pages int
	pdf   func() []byte
}

func jobs() []job {
	return []job{
		{"flyer of 2 pages", 2, func() []byte { return illustrated(2, 1, 20) }},
		{"brochure of 10 pages", 10, func() []byte { return illustrated(10, 2, 40) }},
		{"catalogue of 100 pages", 100, func() []byte { return illustrated(100, 4, 30) }},
		{"book of 500 pages", 500, func() []byte { return illustrated(500, 0, 40) }},
	}
}

// illustrated returns a document with the given number of pages, and of images and lines of text
// on each page.
func illustrated(pages, images, lines int) []byte {
	var b pdftest.Builder
	font := b.ProgramFont("ABCDEF+Text")
	text := words(lines)
	sheets := make([]pdftest.Page, pages)
	for i := range sheets {
		var placed, named strings.Builder
		for k := range images {
			im := b.Image(pdftest.Image{Width: 600, Height: 400})
			fmt.Fprintf(&named, "/Im%d %s ", k, im)
			placed.WriteString(pdftest.Place(fmt.Sprintf("Im%d", k), float64(60+k/7*37%400), float64(60+k%7*110), 144, 96))
		}
		sheets[i] = pdftest.Print(text+placed.String(), fmt.Sprintf("/Font << /F1 %s >> /XObject << %s >>", font, named.String()))
	}
	return b.Document(sheets...)
}

// words returns lines of text in font F1.
func words(lines int) string {
	var text strings.Builder
	for i := range lines {
		fmt.Fprintf(&text, "BT 0 0 0 1 k /F1 11 Tf 80 %d Td (Some words that stand on one line of a text, and a few more of them) Tj ET\n", 800-i*14)
	}
	return text.String()
}

// spent holds the resources that a process used.
type spent struct {
	wall, cpu time.Duration
	// resident is the peak resident memory in bytes.
	resident int64
}

func measured(b *testing.B, cmd *exec.Cmd) spent {
	b.Helper()
	forgetPeak(b)
	start := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s: %v", cmd, err)
	}
	out := spent{wall: time.Since(start), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		out.resident = usage.Maxrss << 10
	}
	return out
}

// buildInspector builds the inspector with the flags of a release.
func buildInspector(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), sandbox.InspectorName)
	cmd := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-o", path, "../../workers/inspector")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("build inspector: %v\n%s", err, out)
	}
	return path
}

// inspectInChild inspects a file by the profile print_ready.
func inspectInChild(b *testing.B, inspector, path string, cores int) spent {
	b.Helper()
	return askChild(b, inspector, path, cores, sandbox.Request{Profile: lookup(b, "print_ready")})
}

// askChild starts an inspector as the sandbox does, for a number of cores.
func askChild(b *testing.B, inspector, path string, cores int, request sandbox.Request) spent {
	b.Helper()
	ask, err := request.Encode()
	if err != nil {
		b.Fatalf("Encode: %v", err)
	}
	pdf, err := os.Open(path)
	if err != nil {
		b.Fatalf("os.Open(%q): %v", path, err)
	}
	defer func() { _ = pdf.Close() }()
	progress, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatalf("os.OpenFile: %v", err)
	}
	defer func() { _ = progress.Close() }()
	cmd := exec.CommandContext(b.Context(), inspector)
	cmd.Env = []string{"GOMEMLIMIT=402653184", fmt.Sprintf("GOMAXPROCS=%d", cores)}
	cmd.Stdin, cmd.Stdout = bytes.NewReader(append([]byte{1}, ask...)), io.Discard
	cmd.ExtraFiles = []*os.File{pdf, progress}
	return measured(b, cmd)
}

// popplerTools runs the tools that list pages and boxes, fonts, and images. They do a part of the
// work of an inspection.
func popplerTools(b *testing.B, path string) (total spent) {
	b.Helper()
	for _, args := range [][]string{{"pdfinfo", "-box", "-l", "10000", path}, {"pdffonts", path}, {"pdfimages", "-list", path}} {
		one := measured(b, exec.CommandContext(b.Context(), args[0], args[1:]...))
		total.wall, total.cpu = total.wall+one.wall, total.cpu+one.cpu
		total.resident = max(total.resident, one.resident)
	}
	return total
}

// extractImages decodes the images of a file and writes them, with one tool of poppler.
func extractImages(b *testing.B, path string) spent {
	b.Helper()
	return measured(b, exec.CommandContext(b.Context(), "pdfimages", "-all", path, filepath.Join(b.TempDir(), "image")))
}

// BenchmarkAgainstPoppler compares one inspection in a separate process, start included, with the
// three tools of poppler that list pages, fonts and images of the same file, and with the one that
// decodes its images. The programs run in turn, so that other load of the machine affects all. The
// metrics are medians: ratio is the time of the inspector divided by the time of the three tools,
// cpu-ratio the same for CPU time, images-ratio that of the inspector divided by that of the other
// tool, and MiB the peak memory of the inspector.
func BenchmarkAgainstPoppler(b *testing.B) {
	needPoppler(b)
	inspector := buildInspector(b)
	for _, j := range jobs() {
		b.Run(j.name, func(b *testing.B) {
			path := written(b, j.pdf())
			var ratios, images, cpus, memory, walls []float64
			for b.Loop() {
				ours, theirs := inspectInChild(b, inspector, path, 2), popplerTools(b, path)
				ratios = append(ratios, float64(ours.wall)/float64(theirs.wall))
				images = append(images, float64(ours.wall)/float64(extractImages(b, path).wall))
				cpus = append(cpus, float64(ours.cpu)/float64(max(theirs.cpu, 1)))
				memory = append(memory, float64(ours.resident)/(1<<20))
				walls = append(walls, ours.wall.Seconds())
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(ratios), "ratio")
			b.ReportMetric(median(images), "images-ratio")
			b.ReportMetric(median(cpus), "cpu-ratio")
			b.ReportMetric(median(memory), "MiB")
			b.ReportMetric(median(walls)*1000, "ms")
			b.ReportMetric(float64(j.pages)/median(walls), "pages/s")
		})
	}
}

// ruled returns a page with a number of lines, which other operators precede.
func ruled(before string, lines int) []byte {
	var content strings.Builder
	content.WriteString(before)
	for i := range lines {
		fmt.Fprintf(&content, "0 0 0 %d.%d K 0.5 w %d %d m %d %d l S\n", 0, i%10, 30+i%560, 30+i/560*2%800, 34+i%550, 33+i/560*2%790)
	}
	return pdftest.Pages(pdftest.Print(content.String(), ""))
}

// rendered are documents of which the ink is the work: text, lines, and images of each coding.
func rendered() []job {
	pictures := func(pages int, dict string, data func(page int) []byte) func() []byte {
		return func() []byte {
			var b pdftest.Builder
			sheets := make([]pdftest.Page, pages)
			for i := range sheets {
				image := b.Stream("/Type /XObject /Subtype /Image /BitsPerComponent 8 "+dict, data(i))
				sheets[i] = pdftest.Print(pdftest.Place("Im", 30, 30, 590, 835), fmt.Sprintf("/XObject << /Im %s >>", image))
			}
			return b.Document(sheets...)
		}
	}
	noise := func(size int) []byte {
		samples := make([]byte, size)
		for i := range samples {
			samples[i] = byte(i*2654435761>>24) & 0x7f
		}
		return samples
	}
	return []job{
		{"flyer of 2 pages", 2, func() []byte { return illustrated(2, 1, 20) }},
		{"book of 600 pages", 600, func() []byte { return illustrated(600, 0, 40) }},
		{"200,000 lines", 1, func() []byte { return ruled("", 200_000) }},
		{"20 JPEGs of 6 megapixels", 20, pictures(20, "/Width 2450 /Height 2450 /ColorSpace /DeviceRGB /Filter /DCTDecode", func(page int) []byte { return pdftest.JPEG(2450, 3, 80+page) })},
		{"CMYK of 16 megapixels, deflated", 1, pictures(1, "/Width 4000 /Height 4000 /ColorSpace /DeviceCMYK /Filter /FlateDecode", func(int) []byte { return pdftest.Deflate(noise(4000 * 4000 * 4)) })},
	}
}

// BenchmarkAgainstInkCoverage compares one inspection, which measures ink among much else, with
// the device ink_cov of Ghostscript, which measures the mean coverage of the process inks.
func BenchmarkAgainstInkCoverage(b *testing.B) {
	if _, err := exec.LookPath("gs"); err != nil {
		b.Skipf("skipped: Ghostscript is not installed: %v", err)
	}
	inspector := buildInspector(b)
	for _, j := range rendered() {
		b.Run(j.name, func(b *testing.B) {
			path := written(b, j.pdf())
			var ratios, memory, walls []float64
			for b.Loop() {
				ours := inspectInChild(b, inspector, path, 2)
				theirs := measured(b, exec.CommandContext(b.Context(), "gs", "-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=ink_cov", "-sOutputFile=-", path))
				ratios = append(ratios, float64(ours.wall)/float64(theirs.wall))
				memory = append(memory, float64(ours.resident)/(1<<20))
				walls = append(walls, ours.wall.Seconds())
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(ratios), "ratio")
			b.ReportMetric(median(memory), "MiB")
			b.ReportMetric(median(walls)*1000, "ms")
		})
	}
}

// costly are single pages of A4 whose ink takes much work: with photos, lines and transparency in RGB. Other operators
// precede the content of each.
func costly(before string) []job {
	const states = "/ExtGState << /M << /BM /Multiply >> /H << /ca 0.5 >> /L << /BM /Luminosity >> >> "
	const gradient = "/Shading << /S << /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 595 842] /Extend [true true] /Function << /FunctionType 2 /Domain [0 1] /C0 [1 0.4 0] /C1 [0 0.5 1] /N 1 >> >> >> "
	const layers = "q 0 0 595 842 re W n /S sh Q q /M gs 595 0 0 842 0 0 cm /Im Do Q q /H gs 0.2 0.6 0.9 rg 100 100 400 600 re f Q q /L gs 0.9 0.3 0.2 rg 50 50 300 300 re f Q "
	page := func(extra, content string, groups int) func() []byte {
		return func() []byte {
			var b pdftest.Builder
			photo := b.Stream("/Type /XObject /Subtype /Image /BitsPerComponent 8 /Width 2480 /Height 2480 /ColorSpace /DeviceRGB /Filter /DCTDecode", pdftest.JPEG(2480, 3, 90))
			resources, content := states+gradient+fmt.Sprintf("/XObject << /Im %s >> ", photo), content
			for range groups {
				group := b.Stream("/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Group << /S /Transparency /I true /CS /DeviceRGB >> /Resources << "+resources+">>", []byte(content))
				resources = states + gradient + fmt.Sprintf("/XObject << /G %s /Im %s >> ", group, photo)
				content = "/M gs /G Do"
			}
			sheet := pdftest.Print(before+content, resources)
			sheet.Extra = extra
			return b.Document(sheet)
		}
	}
	return []job{
		{"text", 1, func() []byte {
			var b pdftest.Builder
			font := b.ProgramFont("ABCDEF+Text")
			return b.Document(pdftest.Print(before+words(50), fmt.Sprintf("/Font << /F1 %s >>", font)))
		}},
		{"a photo", 1, page("", "q 595 0 0 842 0 0 cm /Im Do Q", 0)},
		{"lines=2000", 1, func() []byte { return ruled(before, 2_000) }},
		{"lines=20000", 1, func() []byte { return ruled(before, 20_000) }},
		{"lines=200000", 1, func() []byte { return ruled(before, 200_000) }},
		{"transparency in inks", 1, page("/Group << /S /Transparency /CS /DeviceCMYK >>", layers, 0)},
		{"a page in RGB", 1, page("/Group << /S /Transparency /CS /DeviceRGB >>", layers, 0)},
		{"a group in RGB", 1, page("", layers, 1)},
		{"4 groups in RGB, one in the other", 1, page("", layers, 4)},
	}
}

// BenchmarkInkOfAPage measures the planes of one page on one core, which may take 0.3 s and 256 MiB for A4. cpu-ms is
// the CPU time of an inspection by print_ready. ink-ms is that of a profile that only measures ink, without that of
// the same page inside an empty clip, on which nothing is painted.
func BenchmarkInkOfAPage(b *testing.B) {
	inkAlone := sandbox.Request{Profile: profile.Profile{Name: "ink", Rules: map[string]profile.Setting{"ink.tac": {Severity: report.Error, Limit: new(300.0), Source: "benchmark"}}}}
	inspector := buildInspector(b)
	clipped := costly("0 0 0 0 re W n ")
	for i, j := range costly("") {
		b.Run(j.name, func(b *testing.B) {
			painted, unpainted := written(b, j.pdf()), written(b, clipped[i].pdf())
			var cpus, inks, memory []float64
			for b.Loop() {
				whole := inspectInChild(b, inspector, painted, 1)
				ink, rest := askChild(b, inspector, painted, 1, inkAlone), askChild(b, inspector, unpainted, 1, inkAlone)
				cpus = append(cpus, whole.cpu.Seconds()*1000)
				inks = append(inks, (ink.cpu-rest.cpu).Seconds()*1000)
				memory = append(memory, float64(whole.resident)/(1<<20))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(cpus), "cpu-ms")
			b.ReportMetric(median(inks), "ink-ms")
			b.ReportMetric(median(memory), "MiB")
		})
	}
}

// BenchmarkInspection measures the same for documents with more and more pages of text, and for a page with
// more and more images.
func BenchmarkInspection(b *testing.B) {
	var all []job
	for _, n := range []int{10, 100, 1000} {
		all = append(all,
			job{fmt.Sprint("pages=", n), n, func() []byte { return illustrated(n, 0, 40) }},
			job{fmt.Sprint("images=", 2*n), 1, func() []byte { return illustrated(1, 2*n, 0) }})
	}
	inspectOnOneCore(b, all)
}

// inspectOnOneCore reports the CPU time of the inspection of each document, and its memory.
func inspectOnOneCore(b *testing.B, documents []job) {
	b.Helper()
	inspector := buildInspector(b)
	for _, j := range documents {
		b.Run(j.name, func(b *testing.B) {
			path := written(b, j.pdf())
			var cpus, memory []float64
			for b.Loop() {
				one := inspectInChild(b, inspector, path, 1)
				cpus = append(cpus, one.cpu.Seconds()*1000)
				memory = append(memory, float64(one.resident)/(1<<20))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(cpus), "cpu-ms")
			b.ReportMetric(median(memory), "MiB")
		})
	}
}

// BenchmarkEveryFileAgainstPoppler makes the same comparison once for each file of the rule tests.
// ratio is the median of all files.
func BenchmarkEveryFileAgainstPoppler(b *testing.B) {
	needPoppler(b)
	inspector := buildInspector(b)
	var paths []string
	for _, flaw := range pdftest.Flaws() {
		if !strings.HasPrefix(flaw.Rule, "limits.") && !strings.HasPrefix(flaw.Rule, "file.") && !strings.HasPrefix(flaw.Rule, "security.") && !strings.HasPrefix(flaw.Rule, "structure.") {
			paths = append(paths, written(b, flaw.Twin()))
		}
	}
	var ratios, memory []float64
	for b.Loop() {
		for _, path := range paths {
			ours, theirs := inspectInChild(b, inspector, path, 2), popplerTools(b, path)
			ratios = append(ratios, float64(ours.wall)/float64(theirs.wall))
			memory = append(memory, float64(ours.resident)/(1<<20))
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(len(paths)), "files")
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(median(memory), "MiB")
}

func needPoppler(b *testing.B) {
	b.Helper()
	for _, tool := range []string{"pdfinfo", "pdffonts", "pdfimages"} {
		if _, err := exec.LookPath(tool); err != nil {
			b.Skipf("skipped: %s of poppler-utils is not installed: %v", tool, err)
		}
	}
}

// BenchmarkInspectorsAtOnce runs inspectors one after the other, and two concurrently.
func BenchmarkInspectorsAtOnce(b *testing.B) {
	inspector := buildInspector(b)
	brochure := jobs()[1]
	path := written(b, brochure.pdf())
	for _, at := range []int{1, 2} {
		b.Run(fmt.Sprintf("%d", at), func(b *testing.B) {
			for b.Loop() {
				var all sync.WaitGroup
				for range at {
					all.Go(func() { inspectInChild(b, inspector, path, 2) })
				}
				all.Wait()
			}
			b.ReportMetric(float64(b.N*at*brochure.pages)/b.Elapsed().Seconds(), "pages/s")
		})
	}
}

func written(b *testing.B, pdf []byte) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "file.pdf")
	if err := os.WriteFile(path, pdf, 0o600); err != nil {
		b.Fatalf("os.WriteFile(%q): %v", path, err)
	}
	return path
}

// forgetPeak resets the peak memory of this process, with which the kernel begins that of each process
// it starts.
func forgetPeak(b *testing.B) {
	b.Helper()
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		b.Fatalf("os.WriteFile: %v", err)
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

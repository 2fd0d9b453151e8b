/* What programs that Go makes ask of Windows and Debian's Wine 8 lacks. Each of them loads this bcryptprimitives.dll before anything else. */
#include <string.h>
#include <windows.h>
#include <ntsecapi.h>

/* The runtime's source of random numbers. */
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
	for (ULONG part; size; data += part, size -= part) {
		part = size > 1 << 20 ? 1 << 20 : (ULONG)size;
		if (!RtlGenRandom(data, part))
			return FALSE;
	}
	return TRUE;
}

/*
 * os.RemoveAll removes files by FileDispositionInformationEx (class 64), as Windows 10 has it, and otherwise in the older way, if it is
 * told that the class is not known. Wine 8 says STATUS_NOT_IMPLEMENTED, for which Go has no other way.
 */
typedef LONG(NTAPI *set_t)(HANDLE, void *, void *, ULONG, int);
static set_t wines;

static LONG NTAPI set(HANDLE file, void *status, void *info, ULONG size, int class)
{
	if (class == 64)
		return (LONG)0xC0000003; /* STATUS_INVALID_INFO_CLASS */
	return wines(file, status, info, size, class);
}

/* Wine's own is a system call of 32 bytes that can be copied; where it begins otherwise, it is left alone. */
BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved)
{
	static const BYTE begins[] = {0x4c, 0x8b, 0xd1, 0xb8};
	BYTE jump[12] = {0x48, 0xb8, [10] = 0xff, 0xe0}; /* mov rax, set; jmp rax */
	BYTE *call = (BYTE *)(void *)GetProcAddress(GetModuleHandleA("ntdll"), "NtSetInformationFile");
	void *to = (void *)set;
	DWORD old;

	(void)self, (void)reserved;
	if (reason != DLL_PROCESS_ATTACH || !call || memcmp(call, begins, sizeof begins))
		return TRUE;
	wines = (set_t)VirtualAlloc(NULL, 32, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
	if (!wines || !VirtualProtect(call, 32, PAGE_EXECUTE_READWRITE, &old))
		return FALSE;
	memcpy((void *)wines, call, 32);
	memcpy(jump + 2, &to, sizeof to);
	memcpy(call, jump, sizeof jump);
	return VirtualProtect(call, 32, old, &old);
}

/* What any reader of captures has to pay: every frame of a file taken from libpcap, and nothing done with it. */
#include <pcap/pcap.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char error[PCAP_ERRBUF_SIZE] = "usage: bench_pcap_loop CAPTURE";
    pcap_t *in = argc == 2 ? pcap_open_offline(argv[1], error) : NULL;
    struct pcap_pkthdr *header;
    const unsigned char *bytes;
    unsigned long frames = 0;

    if (!in) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    while (pcap_next_ex(in, &header, &bytes) == 1)
        frames++;
    printf("%lu\n", frames);
    pcap_close(in);
    return 0;
}
